"""The language of instructions: sentences, their parts, and the second person made the first."""

import re
from collections.abc import Iterator

from wardround.people.patterns import pattern, rewrites


def parts(text: str) -> Iterator[str]:
    """The sentences of an instruction, those that hold two things taken apart."""
    for sentence in sentences(text):
        for part in pattern("grammar", "part_break").split(sentence):
            bare = pattern("grammar", "lead").sub("", part.strip())
            interest = pattern("grammar", "interest_and_want").search(bare)
            if interest:
                yield interest[1]
                yield "you " + bare[interest.end() :]
            elif bare:
                yield bare


def sentences(text: str) -> list[str]:
    """Sentences without their full stop.

    >>> sentences("Use drugs, e.g. Lasix. Not 'Hb C.' Then 7.5 mg.")
    ['Use drugs, e.g. Lasix', "Not 'Hb C.'", 'Then 7.5 mg']
    """
    flat = " ".join(text.split())
    found = pattern("grammar", "sentence_break").split(flat)
    return [sentence.rstrip(".") for sentence in found if sentence]


def first_person(text: str) -> str:
    """A part of an instruction as its user would say it.

    >>> first_person("you are interested in your patient's last visit")
    "I'm interested in my patient's last visit."
    >>> first_person("ask the DB agent whether it was given to them")
    'I want to know whether it was given to them.'
    """
    for command, words in rewrites("command"):
        text, count = command.subn(words, text)
        if count:
            break
    for second, words in rewrites("voice"):
        text = second.sub(words, text)
    text = text.strip(" ,")
    return text[:1].upper() + text[1:] + ("" if re.search(r"[.?!]\W?$", text) else ".")
