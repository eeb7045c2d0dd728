"""What the database calls a thing: the stored values that a user's phrase means."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wardround.agents.parser.talk.patterns import about_words
from wardround.agents.parser.talk.request import Condition
from wardround.agents.parser.talk.vocabulary import formal
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members

_SHORT = 2  # telling words that a general name has at most

# A title that begins so tells of a risk or the past, not of the thing itself.
_NOT_NOW_OR_EVER = re.compile(r"^family history|^encounter for|^screening|alarm")
_NOT_ITSELF = re.compile(rf"^(?:personal )?history|{_NOT_NOW_OR_EVER.pattern}")


def choose(
    phrases: Sequence[str], stored: Iterable[str], *, broad: bool = False, past: bool = False
) -> tuple[str, ...]:
    """The stored values that are meant: one of the very name, else all that hold its words.

    Args:
        phrases: the ways to say the thing, the user's first; the others, its formal names, count
            when it is nowhere, or alone when nothing is named by it ("cancer antigen" is not).
        stored: values that a search found.
        broad: whether all that hold the words of any way to say it are meant.
        past: whether a history of the thing is meant too.

    >>> choose(["hemoglobin", "hgb"], ["hemoglobin", "hemoglobin c"])
    ('hemoglobin',)
    >>> choose(["kidney stones"], ["calculus of kidney"])
    ()
    >>> choose(["cancer", "malignant neoplasm"], ["cancer antigen", "malignant neoplasm of lung"])
    ('malignant neoplasm of lung',)
    >>> choose(["ckd", "renal failure"], ["ckd, stage 3", "renal failure"], broad=True)
    ('ckd, stage 3', 'renal failure')
    """
    values = sorted(dict.fromkeys(stored))
    said, names = phrases[:1], phrases[1:]
    trusted = not names or said[0] in values or _is_stored_name(said[0], [*names, *values])
    if broad or past:
        meant = phrases if trusted else names
        return _itself(meant, holding(meant, values), past)
    for group in (said, names) if trusted else (names,):
        same = tuple(value for value in values if value in group)
        if found := same or _itself(group, holding(group, values), past):
            return found
    return ()


def _is_stored_name(phrase: str, values: Iterable[str]) -> bool:
    """Whether a value, or a part of it between commas, ends with a phrase."""
    parts = (part.strip() for value in values for part in value.split(","))
    return any(part.endswith(phrase) for part in parts)


def holding(phrases: Sequence[str], stored: Iterable[str]) -> tuple[str, ...]:
    """The stored values with all words of a phrase."""
    return tuple(v for v in dict.fromkeys(stored) if any(_holds(v, said) for said in phrases))


def _itself(phrases: Sequence[str], values: Sequence[str], past: bool) -> tuple[str, ...]:
    """The values without those of a risk, or of the past unless it is asked for."""
    if any("history" in phrase for phrase in phrases):
        return tuple(values)
    other = _NOT_NOW_OR_EVER if past else _NOT_ITSELF
    return tuple(value for value in values if not other.search(value))


def nearest(phrases: Sequence[str], similar: Sequence[str]) -> tuple[str, ...]:
    """The best of similar values if it shares a telling word with the phrase."""
    wanted = {word for phrase in phrases for word in _words(phrase)}
    return tuple(value for value in similar[:1] if wanted & set(_words(value)))


def searched_for(condition: Condition) -> tuple[str, ...]:
    """The texts to look for, in the order of trying."""
    names = condition.names or formal(condition.kind, condition.phrase)
    return _narrow(condition.phrase, names) if condition.kind == "procedure" else names


def key_word(phrase: str) -> str:
    """The longest word of a phrase, for a search that the whole phrase would miss.

    >>> key_word("type 2 diabetes mellitus")
    'diabetes'
    """
    words: list[str] = re.findall(r"[a-z0-9]+", phrase)
    return max(words or [phrase], key=len)


def _narrow(said: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names without those that say less than the user's word.

    >>> _narrow("hemodialysis", ["hemodialysis", "dialysis", "hd"])
    ('hemodialysis', 'hd')
    """
    return tuple(name for name in names if name == said or name not in said)


def is_general(condition: Condition) -> bool:
    """Whether all names with the words in them are meant: a short name stands for a family.

    >>> is_general(Condition("diagnosis", "sepsis")), is_general(Condition("lab", "glucose"))
    (True, False)
    """
    if condition.kind == "procedure":
        return True
    short = len(_words(condition.phrase)) <= _SHORT
    return not condition.exact or (condition.kind == "diagnosis" and short)


def in_doubt(condition: Condition) -> bool:
    """Whether a measured thing goes by several stored names, none of which is the user's word."""
    values = condition.values or ()
    measured = condition.kind in ("lab", "vital", "intake", "output") and not condition.names
    return measured and len(values) > 1 and condition.exact and condition.phrase not in values


def picked(condition: Condition, said: str) -> Condition:
    """A condition with those of its values that a user's answer tells apart; all if it tells none.

    >>> asked = Condition("lab", "calcium", values=("calcium, total", "free calcium"))
    >>> picked(asked, "The free one, please.").values
    ('free calcium',)
    """
    values = condition.values or ()
    common = set.intersection(*(set(_words(value)) for value in values))
    answered = set(_words(said.lower()))
    meant = tuple(value for value in values if (set(_words(value)) - common) & answered)
    return replace(condition, values=meant or values)


def drug_patterns(condition: Condition, strict: bool) -> tuple[str, ...]:
    """The names a drug is looked for under.

    Args:
        condition: names a drug or a class.
        strict: whether only the user's word for it counts.

    >>> drug_patterns(Condition("drug", "lasix"), strict=False)
    ('lasix', 'furosemide')
    """
    if condition.column == "class":
        left_out = {name for drug in condition.without for name in (drug, *generics(drug))}
        return tuple(name for name in members(condition.phrase) if name not in left_out)
    others = () if strict else generics(condition.phrase)
    return tuple(dict.fromkeys([condition.phrase, *others]))


def stored_as(names: Sequence[str], stored: Iterable[str]) -> tuple[str, ...]:
    """The stored values that are one of the names known beforehand, else that hold it.

    >>> stored_as(["home"], ["home health care", "home"])
    ('home',)
    >>> stored_as(["nursing home", "rehab"], ["rehab/distinct part hosp"])
    ('rehab/distinct part hosp',)
    """
    values = tuple(dict.fromkeys(stored))
    same = next(((name,) for name in names if name in values), ())
    within = (tuple(v for v in values if name in v.lower()) for name in names)
    return same or next((found for found in within if found), ())


def linked(condition: Condition, values: tuple[str, ...], *, exact: bool) -> Condition:
    """The condition with its values looked up."""
    return replace(condition, values=values, exact=exact)


def _holds(value: str, phrase: str) -> bool:
    words, stored = _words(phrase), _words(value)
    if len(words) > 1 and len(words[0]) == 1 and stored[:1] and stored[0][0] == words[0]:
        words = words[1:]  # "e coli" is "escherichia coli"
    return bool(words) and set(words) <= set(stored)


def _words(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return [_stem(word) for word in found if not about_words("small").fullmatch(word)]


def _stem(word: str) -> str:
    """The word without a plural ending."""
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
