"""Reads turns to related things: the generic of a brand, the rest of a class, another test."""

import re
from collections.abc import Collection, Iterable

from wardround.agents.parser.talk.request import Clause, Kind, Request
from wardround.agents.parser.talk.value_linker import linked
from wardround.ehr.terms import (
    DrugClass,
    alternative_labs,
    alternative_procedures,
    brands,
    classes_for,
    drug_class,
    generics,
)
from wardround.ehr.terms.classes import classes_named

_RELATED = "drugs related to "
_GENERIC = re.compile(r"\b(?:generic|chemical|another name|other names?|equivalent)\b")
_BRAND = re.compile(r"\bbrands?\b")
_OTHER = r"\b(?:any |all )?(?:other|another|different|alternative|else)\b"
_SAME_CLASS = re.compile(
    rf"{_OTHER}.*\b(?:same|that|this|its) (?:\w+ )?(?:class|group|family|type)\b"
    r"|\bsame (?:drug |medication |therapeutic )?(?:class|group|family)\b"
)
_OTHER_CLASS = re.compile(rf"{_OTHER}.*\b(?:class|classes|type|kind|group)s?\b")
_TESTS = r"(?:labs?|tests?|markers?|measurements?)"
_PROCEDURES = r"(?:procedures?|surger\w+|operations?|treatments?|kinds?|types?)"
_SOME_TEST = re.compile(rf"\b{_TESTS}\b")
_OTHER_TEST = re.compile(rf"{_OTHER}.*\b{_TESTS}\b|\b{_TESTS}\b.*\binstead\b")
_OTHER_PROCEDURE = re.compile(rf"{_OTHER}.*\b{_PROCEDURES}\b|\b{_PROCEDURES}\b.*\binstead\b")
_OTHER_DIAGNOSIS = re.compile(rf"{_OTHER} (?:complications?|diagnos[ei]s|conditions?|illness\w*)\b")
_OTHER_DRUG = re.compile(
    rf"{_OTHER}.*\b(?:medications?|drugs?|meds?|medicines?|treatments?|agents?)\b"
)


def turn_to_related(
    request: Request, text: str, named: Collection[Kind], failed: bool
) -> tuple[Request, Kind] | None:
    """The request after a turn to a related thing, and its kind; None without such a turn.

    The user names nothing, so the thing follows from the request.

    Args:
        request: The request before.
        text: The user's words, lower case.
        named: The kinds of thing that the user names in this turn.
        failed: Whether nothing was found before, so that "a test" means another one.
    """
    for kind, find in _RELATED_FINDERS.items():
        old = _last(request, kind)
        if old is None:
            continue
        # A drug named beside "others of its class" is excluded from the class.
        if kind in named and not (kind == "drug" and _turns_to_others(text)):
            continue
        if new := find(old, request.indication, text, failed):
            return request.with_condition(old, new), kind
    return None


def _turns_to_others(text: str) -> bool:
    return any(wording.search(text) for wording in (_SAME_CLASS, _OTHER_CLASS, _OTHER_DRUG))


def _last(request: Request, kind: Kind) -> Clause | None:
    named = (c for c in reversed(request.conditions) if c.kind == kind and c.phrase)
    return next(named, None)


def _drugs(old: Clause, indication: str, text: str, failed: bool) -> Clause | None:
    asked = old.worded(text=old.phrase.removeprefix(_RELATED))
    tried = {asked.phrase, *generics(asked.phrase), *(old.stored or ())}
    related = (name for name in _related_drugs(asked, indication, text) if name not in tried)
    names = tuple(related) or _renamed(asked, text)
    if not names:
        return None
    called = names[0] if len(names) == 1 else _RELATED + asked.phrase
    return linked(old.worded(text=called), names, is_part=True)


def _tests(old: Clause, indication: str, text: str, failed: bool) -> Clause | None:
    meant = _OTHER_TEST.search(text) or (failed and _SOME_TEST.search(text))
    others = alternative_labs(old.phrase) if meant else ()
    return old.worded(text=others[0]) if others else None


def _procedures(old: Clause, indication: str, text: str, failed: bool) -> Clause | None:
    """Any of the alternative procedures."""
    others = alternative_procedures(old.phrase) if _OTHER_PROCEDURE.search(text) else ()
    return old.worded(text="; ".join(others)) if others else None


def _diagnoses(old: Clause, indication: str, text: str, failed: bool) -> Clause | None:
    """Any diagnosis."""
    return old.worded(text="") if _OTHER_DIAGNOSIS.search(text) else None


def drugs_for(condition: str) -> tuple[str, ...]:
    """The drugs of all classes for a condition."""
    return _unique(drug for each in classes_for(condition) for drug in each.members)


def _related_drugs(old: Clause, indication: str, text: str) -> tuple[str, ...]:
    """The related drugs, perhaps with those already asked about."""
    if _SAME_CLASS.search(text):
        return _peers(old)
    if _OTHER_CLASS.search(text) or (indication and _OTHER_DRUG.search(text)):
        return drugs_for(indication) if indication else _same_use(old)
    return _peers(old) if _OTHER_DRUG.search(text) else ()


def _renamed(old: Clause, text: str) -> tuple[str, ...]:
    """The generic or brand names of the drug itself, if asked for."""
    named = generics(old.phrase)
    if _GENERIC.search(text):
        return named
    return brands(named[0]) if _BRAND.search(text) and named else ()


def _peers(old: Clause) -> tuple[str, ...]:
    """The members of the drug's classes."""
    return _unique(drug for each in _classes(old) for drug in each.members)


def _same_use(old: Clause) -> tuple[str, ...]:
    """The drugs of other classes with the same first indication."""
    classes = _classes(old)
    uses = _unique(each.treats[0] for each in classes if each.treats)
    peers = _peers(old)
    return _unique(drug for use in uses for drug in drugs_for(use) if drug not in peers)


def _classes(old: Clause) -> tuple[DrugClass, ...]:
    if old.column == "class":
        return classes_named(old.phrase)
    return tuple(each for drug in generics(old.phrase) for each in drug_class(drug))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


_RELATED_FINDERS = {
    "drug": _drugs,
    "lab": _tests,
    "procedure": _procedures,
    "diagnosis": _diagnoses,
}
