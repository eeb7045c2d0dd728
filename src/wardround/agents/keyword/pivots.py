"""Turning to other drugs: the generic of a brand, the rest of a class, other drugs for a condition."""

import re
from collections.abc import Iterable
from dataclasses import replace

from wardround.agents.keyword.request import Condition, Request
from wardround.ehr.terms import DrugClass, brands, classes_for, drug_class, generics
from wardround.ehr.terms.classes import classes_named

_GENERIC = re.compile(r"\b(?:generic|chemical|another name|other names?|equivalent)\b")
_BRAND = re.compile(r"\bbrands?\b")
_OTHER = r"\b(?:any |all )?(?:other|another|different|alternative|else)\b"
_SAME_CLASS = re.compile(
    rf"{_OTHER}[^.?!]*\b(?:same|that|this|its) (?:\w+ )?(?:class|group|family|type)\b"
    r"|\bsame (?:drug |medication |therapeutic )?(?:class|group|family)\b"
)
_OTHER_CLASS = re.compile(rf"{_OTHER}[^.?!]*\b(?:class|classes|type|kind|group)s?\b")
_OTHER_DRUG = re.compile(
    rf"{_OTHER}[^.?!]*\b(?:medications?|drugs?|meds?|medicines?|treatments?|agents?)\b"
)


def pivot(request: Request, text: str) -> Request | None:
    """The request after the user turned to related drugs; None when they did not.

    Nothing is named by the user, so what is meant follows from the drug asked about before.
    """
    old = next((c for c in reversed(request.conditions) if c.kind == "drug" and c.phrase), None)
    if old is None:
        return None
    names = _meant(old, request.indication, text)
    if not names:
        return None
    new = replace(old, phrase=_called(old.phrase, names), values=names, exact=False)
    return request.with_condition(old, new)


def _called(before: str, names: tuple[str, ...]) -> str:
    """A single drug goes by its name, several by what they replace."""
    return names[0] if len(names) == 1 else f"drugs related to {before}"


def drugs_for(condition: str) -> tuple[str, ...]:
    """The drugs of all classes that treat a condition."""
    return _unique(drug for each in classes_for(condition) for drug in each.members)


def _meant(old: Condition, indication: str, text: str) -> tuple[str, ...]:
    named = generics(old.phrase)
    peers = _peers(old)
    if _SAME_CLASS.search(text):
        return tuple(drug for drug in peers if drug not in named)
    if _OTHER_CLASS.search(text) or (indication and _OTHER_DRUG.search(text)):
        others = drugs_for(indication) if indication else _same_use(old)
        return tuple(drug for drug in others if drug not in named)
    if _OTHER_DRUG.search(text):
        return tuple(drug for drug in peers if drug not in named)
    if _GENERIC.search(text):
        return named
    return brands(named[0]) if _BRAND.search(text) and named else ()


def _peers(old: Condition) -> tuple[str, ...]:
    """The members of the drug's classes."""
    return _unique(drug for each in _classes(old) for drug in each.members)


def _same_use(old: Condition) -> tuple[str, ...]:
    """The drugs of other classes that treat what this drug's class treats first."""
    own = _classes(old)
    uses = _unique(each.treats[0] for each in own if each.treats)
    peers = _peers(old)
    return _unique(drug for use in uses for drug in drugs_for(use) if drug not in peers)


def _classes(old: Condition) -> tuple[DrugClass, ...]:
    if old.column == "class":
        return classes_named(old.phrase)
    return tuple(each for drug in generics(old.phrase) for each in drug_class(drug))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
