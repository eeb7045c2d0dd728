"""Denser cohorts: conditions that more of the generated people have than usual."""

from collections.abc import Iterable
from functools import cache

from wardround.core.errors import UserError
from wardround.ehr.hospital.catalogue import conditions
from wardround.ehr.hospital.catalogue_entries import Condition
from wardround.ehr.terms.conditions import condition_named

# The least chance of an enriched chronic condition or complication, and the enriched reasons'
# part of all admissions.
SHARE = 0.5
_KINDS = ("chronic", "acute", "complications")
# The beginnings of names that record a condition of the past or of relatives.
_PAST = ("family", "history", "old", "past", "prior")


@cache
def enriched_conditions(texts: tuple[str, ...]) -> frozenset[str]:
    """The hospital's conditions of these names, lay or formal, or beginnings of ICD codes.

    A complication brings with it the reasons for admission that lead to it.

    >>> sorted(enriched_conditions(("heart attack",)))
    ['nstemi', 'stemi']
    >>> "kidney_injury" in enriched_conditions(("N17",))
    True

    Raises:
        UserError: The hospital has no such condition.
    """
    chosen = {name for text in texts for name in _matching(text)}
    reasons = {
        name
        for name, reason in conditions("acute").items()
        if chosen & {each.name for each in reason.complications}
    }
    return frozenset(chosen | reasons)


def _matching(text: str) -> set[str]:
    words = " ".join(text.lower().replace("_", " ").replace("-", " ").split())
    condition = condition_named(words)
    names = {words, *(condition.names if condition else ())}
    matching = {each.name for each in _all() if _fits(each, names, text.upper().replace(".", ""))}
    if not words or not matching:
        listed = ", ".join(sorted({*conditions("acute"), *conditions("chronic")}))
        raise UserError(f"The hospital has no condition {text!r}; it has: {listed}.")
    return matching


def _all() -> Iterable[Condition]:
    return (each for kind in _KINDS for each in conditions(kind).values())


def _fits(condition: Condition, names: set[str], code: str) -> bool:
    words = condition.name.replace("_", " ")
    if words.startswith(_PAST) or "history" in words:
        return False
    codes = [
        text for each in (*condition.codes, *condition.pick) for text in (each.icd9, each.icd10)
    ]
    coded = len(code) > 2 and any(text.upper().startswith(code) for text in codes)
    return coded or any(f" {name} " in f" {words} " for name in names)
