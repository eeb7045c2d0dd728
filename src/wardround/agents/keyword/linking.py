"""What the database calls a thing: the stored values that a user's phrase means."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wardround.agents.keyword.request import Condition
from wardround.agents.keyword.vocabulary import formal
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members

_SMALL = frozenset(
    "a an and any at by due for from in of on or other specified the to unspecified with "
    "without type level test count value history disease disorder".split()
)
# A title that begins so tells of a risk or the past, not of the thing itself.
_NOT_ITSELF = re.compile(r"^(?:family|personal) history|^encounter for|^screening|alarm|^history of")


def choose(phrases: Sequence[str], stored: Iterable[str]) -> tuple[str, ...]:
    """The stored values that are meant: one of the very name, else all that hold its words.

    Args:
        phrases: the ways to say the thing, the user's own first.
        stored: values that a search found.

    >>> choose(["hgb", "hemoglobin"], ["hemoglobin", "hemoglobin c"])
    ('hemoglobin',)
    >>> choose(["kidney stones"], ["calculus of kidney"])
    ()
    """
    values = sorted(dict.fromkeys(stored))
    same = tuple(value for value in values if value in phrases)
    if same:
        return same
    holding = [v for v in values if any(_holds(v, phrase) for phrase in phrases)]
    plain = [value for value in holding if not _NOT_ITSELF.search(value)]
    history = any("history" in phrase for phrase in phrases)
    return tuple(holding if history else plain or holding)


def nearest(phrases: Sequence[str], similar: Sequence[str]) -> tuple[str, ...]:
    """The best of similar values if it shares a telling word with the phrase."""
    wanted = {word for phrase in phrases for word in _words(phrase)}
    return tuple(value for value in similar[:1] if wanted & set(_words(value)))


def searched_for(condition: Condition) -> tuple[str, ...]:
    """The texts to look for, in the order of trying."""
    return formal(condition.kind, condition.phrase)


def key_word(phrase: str) -> str:
    """The longest word of a phrase, for a search that the whole phrase would miss.

    >>> key_word("type 2 diabetes mellitus")
    'diabetes'
    """
    return max(_words(phrase) or [phrase], key=len)


def drug_patterns(condition: Condition, strict: bool) -> tuple[str, ...]:
    """The names a drug is looked for under.

    Args:
        condition: names a drug or a class.
        strict: whether only the user's word for it counts.

    >>> drug_patterns(Condition("drug", "lasix"), strict=False)
    ('lasix', 'furosemide')
    """
    if condition.column == "class":
        return members(condition.phrase)
    others = () if strict else generics(condition.phrase)
    return tuple(dict.fromkeys([condition.phrase, *others]))


def linked(condition: Condition, values: tuple[str, ...], *, exact: bool) -> Condition:
    """The condition with its values looked up."""
    return replace(condition, values=values, exact=exact)


def _holds(value: str, phrase: str) -> bool:
    words = _words(phrase)
    return bool(words) and set(words) <= set(_words(value))


def _words(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return [_stem(word) for word in found if word not in _SMALL]


def _stem(word: str) -> str:
    """The word without a plural ending."""
    if len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
