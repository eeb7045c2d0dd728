"""Titles of diagnoses that are about having an illness, by the words before its name.

"Portal hypertension" has the name of another illness in it, and "acute kidney failure" says the
course of one. An illness is left out if a title has a word that no list decides.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.diagnoses import formal_names_of_term

Sense: TypeAlias = Literal["kind", "other", "unknown"]

_BEFORE = re.compile(r"(\w[\w-]*)[\s()\[\]]*$")


def illnesses(
    titles: Sequence[str],
) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words and the titles of each illness that titles have the formal name of.

    An illness is left out if a title belongs to another one with a longer name: "anemia" may or may
    not include iron deficiency anemia. It is also left out if a title may or may not belong to it.
    """
    formal = {each.names[0]: _by_formal(each.names) for each in conditions()}
    every = {name for names in formal.values() for each in names for name in each}
    texts = {title: title.lower() for title in titles}
    asked = {}
    for name, words in formal.items():
        its_names = next(iter(words))
        named = [title for title, text in texts.items() if any(part in text for part in its_names)]
        if not named:
            continue
        longer = [
            other
            for other in every.difference(its_names)
            if any(part in other for part in its_names)
        ]
        senses = {title: title_sense(title, its_names) for title in named}
        stored = tuple(title for title, sense in senses.items() if sense == "kind")
        is_open = "unknown" in senses.values()
        if stored and not is_open and not any(o in texts[t] for t in stored for o in longer):
            asked[name] = (tuple(words[its_names]), stored)
    return asked


def title_sense(title: str, names: Sequence[str]) -> Sense:
    """Tells if a title is of an illness with these names, of something else, or may be either.

    >>> title_sense("Portal hypertension", ["hypertension"])
    'other'
    >>> title_sense("Acute on chronic systolic (congestive) heart failure", ["heart failure"])
    'kind'
    >>> title_sense("Wet-weather gout", ["gout"])
    'unknown'
    """
    text = title.lower()
    if any(phrase in text for phrase in _words("title", "other")):
        return "other"
    senses = {
        _sense_before(text[: match.start()], name)
        for name in names
        for match in re.finditer(re.escape(name), text)
    }
    if "kind" in senses:
        return "kind"
    return "unknown" if "unknown" in senses else "other"


def _sense_before(text: str, name: str) -> Sense:
    """The sense of a name, by the word before it."""
    word = match[1] if (match := _BEFORE.search(text)) else ""
    if not word or word.isdecimal() or word in _words("before", "kind"):
        return "kind"
    is_other = {word, f"{word} {name}"} & _words("before", "other")
    return "other" if is_other else "unknown"


def _by_formal(names: tuple[str, ...]) -> dict[tuple[str, ...], list[str]]:
    """The words for an illness by their formal names, those of its first name first."""
    words: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        words[formal_names_of_term(name) or (name,)].append(name)
    return words


@cache
def _words(place: str, sense: str) -> frozenset[str]:
    rows = read_rows(__package__, "title_words.tsv")
    return frozenset(words for at, of, words in rows if (at, of) == (place, sense))
