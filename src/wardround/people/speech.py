"""Turns clauses of an instruction into what the user says, in the first person."""

import re

from wardround.people.patterns import pattern, rewrites
from wardround.people.sentences import restore


def first_person(text: str) -> str:
    """Rewrites a clause of an instruction in the first person, unshielded.

    >>> first_person("you are interested in your patient's last visit")
    "I'm interested in my patient's last visit."
    >>> first_person("you start out by asking the DB agent whether it was given to them")
    'I want to know whether it was given to them.'
    >>> first_person("have it use all patients")
    'Use all patients.'
    """
    text = _without_frame(text.strip(" ,"))
    for second, words in rewrites("voice"):
        text = second.sub(words, text)
    text = restore(text.strip(" ,"))
    return text[:1].upper() + text[1:] + ("" if re.search(r"[.?!]\W?$", text) else ".")


def _without_frame(text: str) -> str:
    """Replaces a command to speak by what it commands to say."""
    for kind in ("ask", "tell", "say", "make"):
        frame = pattern("grammar", f"{kind}_frame").match(text)
        if not frame:
            continue
        rest = text[frame.end() :]
        for opening, words in rewrites(f"{kind}_rest"):
            rewritten, count = opening.subn(words, rest)
            if count:
                return rewritten
    for command, words in rewrites("command"):
        text, count = command.subn(words, text)
        if count:
            break
    return text
