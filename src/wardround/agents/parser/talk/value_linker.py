"""Chooses the stored values that a user's phrase means."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from rapidfuzz import fuzz

from wardround.agents.parser.talk.patterns import word_pattern
from wardround.agents.parser.talk.request import Clause
from wardround.agents.parser.talk.schema import recorded
from wardround.agents.parser.talk.vocabulary import clinical_names
from wardround.ehr.query import Link
from wardround.ehr.records import Role
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members

_ABBREVIATION = 4  # letters of a shortened word, at least
_MISSPELLED = 85  # similarity of a misspelled word, in percent
_SHORT = 2  # content words of a general name, at most

# Beginnings of titles about a risk or the past rather than the thing itself.
_NOT_NOW_OR_EVER = re.compile(r"^family history|^encounter for|^screening|alarm")
_NOT_ITSELF = re.compile(rf"^(?:personal )?history|{_NOT_NOW_OR_EVER.pattern}")


def choose_values(
    phrases: Sequence[str], stored: Iterable[str], *, broad: bool = False, past: bool = False
) -> tuple[str, ...]:
    """The stored values that are meant: the value of that name, else all that contain its words.

    Args:
        phrases: The user's phrase and its formal names. The formal names count if the phrase is
            not found, or alone if no value is named by it ("cancer antigen" is not a cancer).
        stored: Values that a search found.
        broad: Whether all values with the words of any phrase are meant.
        past: Whether a history of the thing is meant too.

    >>> choose_values(["hemoglobin", "hgb"], ["hemoglobin", "hemoglobin c"])
    ('hemoglobin',)
    >>> choose_values(["kidney stones"], ["calculus of kidney"])
    ()
    >>> stored = ["cancer antigen", "malignant neoplasm of lung"]
    >>> choose_values(["cancer", "malignant neoplasm"], stored)
    ('malignant neoplasm of lung',)
    >>> choose_values(["ckd", "renal failure"], ["ckd, stage 3", "renal failure"], broad=True)
    ('ckd, stage 3', 'renal failure')
    """
    values = sorted(dict.fromkeys(stored))
    wording, names = phrases[:1], phrases[1:]
    trusted = not names or wording[0] in values or _is_stored_name(wording[0], [*names, *values])
    if broad or past:
        meant = phrases if trusted else names
        return _itself(meant, values_with_words(meant, values), past)
    for group in (wording, names) if trusted else (names,):
        same = tuple(value for value in values if value in group)
        if chosen := same or _itself(group, values_with_words(group, values), past):
            return chosen
    return ()


def _is_stored_name(phrase: str, values: Iterable[str]) -> bool:
    """True if a value, or a part of it between commas, ends with a phrase."""
    parts = (part.strip() for value in values for part in value.split(","))
    return any(part.endswith(phrase) for part in parts)


def values_with_words(phrases: Sequence[str], stored: Iterable[str]) -> tuple[str, ...]:
    """The stored values with all words of a phrase."""
    return tuple(v for v in dict.fromkeys(stored) if any(_holds(v, wording) for wording in phrases))


def _itself(phrases: Sequence[str], values: Sequence[str], past: bool) -> tuple[str, ...]:
    """The values without titles about a risk, or about the past unless asked for."""
    if any("history" in phrase for phrase in phrases):
        return tuple(values)
    other = _NOT_NOW_OR_EVER if past else _NOT_ITSELF
    return tuple(value for value in values if not other.search(value))


def most_similar(phrases: Sequence[str], similar: Sequence[str]) -> tuple[str, ...]:
    """The first of similar values that has more than half of the content words of a phrase.

    A word may be shortened or misspelled.

    >>> stored = ["staphylococcus, coagulase negative", "staph aureus coag +"]
    >>> most_similar(["staphylococcus aureus"], stored)
    ('staph aureus coag +',)
    """
    fitting = (value for value in similar if any(_is_mostly_in(p, value) for p in phrases))
    return tuple(islice(fitting, 1))


def _is_mostly_in(phrase: str, value: str) -> bool:
    wanted, stored = _words(phrase), _words(value)
    shared = sum(any(_is_like(word, other) for other in stored) for word in wanted)
    return 2 * shared > len(wanted)


def _is_like(word: str, other: str) -> bool:
    is_short = min(len(word), len(other)) < _ABBREVIATION
    starts = word.startswith(other) or other.startswith(word)
    return word == other or (not is_short and (starts or fuzz.ratio(word, other) >= _MISSPELLED))


def search_texts(condition: Clause) -> tuple[str, ...]:
    """The texts to search for, in order."""
    names = condition.words.names or clinical_names(condition.kind, condition.phrase)
    return (
        _at_least_as_specific(condition.phrase, names) if condition.kind == "procedure" else names
    )


def longest_word(phrase: str) -> str:
    """The longest word of a phrase, for a search that the whole phrase would miss.

    >>> longest_word("type 2 diabetes mellitus")
    'diabetes'
    """
    words: list[str] = re.findall(r"[a-z0-9]+", phrase)
    return max(words or [phrase], key=len)


def _at_least_as_specific(wording: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that are at least as specific as the user's word.

    >>> _at_least_as_specific("hemodialysis", ["hemodialysis", "dialysis", "hd"])
    ('hemodialysis', 'hd')
    """
    return tuple(name for name in names if name == wording or name not in wording)


def is_general_name(condition: Clause) -> bool:
    """True if a condition means all names with its words, as short diagnoses do.

    >>> from wardround.agents.parser.talk.request import clause
    >>> is_general_name(clause("diagnosis", "sepsis"))
    True
    >>> is_general_name(clause("lab", "glucose"))
    False
    """
    if condition.kind == "procedure":
        return True
    short = len(_words(condition.phrase)) <= _SHORT
    return condition.words.is_broad or (condition.kind == "diagnosis" and short)


def is_ambiguous(condition: Clause) -> bool:
    """True if a measured term matches several stored values, none of them exactly."""
    link = condition.link
    measured = condition.kind in ("lab", "vital", "intake", "output") and not condition.words.names
    return (
        measured
        and link is not None
        and len(link.texts) > 1
        and not link.is_part
        and condition.phrase not in link.texts
    )


def selects(condition: Clause, wording: str) -> bool:
    """True if a user's answer names one of the offered values, or all of them.

    >>> from wardround.agents.parser.talk.request import clause
    >>> asked = linked(clause("lab", "calcium"), ("calcium, total", "free calcium"))
    >>> selects(asked, "The free one."), selects(asked, "How many women are there?")
    (True, False)
    """
    answered = set(_words(wording.lower()))
    return bool(answered & {"all", "any", "both", "each"} or _meant(condition, answered))


def with_choice(condition: Clause, wording: str) -> Clause:
    """The condition with the values that a user's answer selects; all if it selects none.

    >>> from wardround.agents.parser.talk.request import clause
    >>> asked = linked(clause("lab", "calcium"), ("calcium, total", "free calcium"))
    >>> with_choice(asked, "The free one, please.").stored
    ('free calcium',)
    """
    meant = _meant(condition, set(_words(wording.lower())))
    return linked(condition, meant or condition.stored or ())


def _meant(condition: Clause, answered: Collection[str]) -> tuple[str, ...]:
    """The values with a word of the answer that not all of them have."""
    values = condition.stored or ()
    common = set.intersection(*(set(_words(value)) for value in values))
    return tuple(v for v in values if not (set(_words(v)) - common).isdisjoint(answered))


def drug_patterns(condition: Clause, strict: bool) -> tuple[str, ...]:
    """The names to search a drug by.

    Args:
        condition: A condition on a drug or a class.
        strict: Whether only the user's name counts.

    >>> from wardround.agents.parser.talk.request import clause
    >>> drug_patterns(clause("drug", "lasix"), strict=False)
    ('lasix', 'furosemide')
    """
    if condition.column == "class":
        excluded = {n for drug in condition.words.without for n in (drug, *generics(drug))}
        return tuple(name for name in members(condition.phrase) if name not in excluded)
    others = () if strict else generics(condition.phrase)
    return tuple(dict.fromkeys([condition.phrase, *others]))


def match_stored_names(names: Sequence[str], stored: Iterable[str]) -> tuple[str, ...]:
    """The stored values that equal known names, else those that contain the first name found.

    >>> match_stored_names(["home"], ["home health care", "home"])
    ('home',)
    >>> match_stored_names(["nursing home", "rehab"], ["rehab/distinct part hosp"])
    ('rehab/distinct part hosp',)
    """
    values = tuple(dict.fromkeys(stored))
    same = tuple(value for value in values if value.lower() in names)
    within = (tuple(v for v in values if name in v.lower()) for name in names)
    return same or next((texts for texts in within if texts), ())


def linked(condition: Clause, values: tuple[str, ...], *, is_part: bool = False) -> Clause:
    """The condition with its stored values, or with parts of them."""
    role = Role(condition.kind, recorded(condition.kind, condition.column))
    return replace(condition, link=Link(role, values, is_part))


def _holds(value: str, phrase: str) -> bool:
    words, stored = _words(phrase), _words(value)
    if len(words) > 1 and len(words[0]) == 1 and stored[:1] and stored[0][0] == words[0]:
        words = words[1:]  # "e coli" is "escherichia coli"
    return bool(words) and set(words) <= set(stored)


def _words(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return [_stem(word) for word in words if not word_pattern("small").fullmatch(word)]


def _stem(word: str) -> str:
    """The word without a plural ending."""
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
