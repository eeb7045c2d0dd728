"""Turns with every template of the wordings, with values of every kind that their slots take."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from random import Random
from typing import cast

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot, Wording
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.facts.sources import Briefed, Recorded
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.wording.turn_texts import TurnTexts, turn_texts
from wardround.authoring.assist.wording.wordings import has_form, has_phrase, wordings
from wardround.benchmarks.assist.sessions import Subtype
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.classes import members
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules
from wardround.ehr.terms.drugs import drug_class

FORMS: tuple[Subtype, ...] = ("NA", "PE", "AE")
TOOLS = ("ServiceRequest.create", "Flag.create", "MedicationRequest.create")
DAY = date(2148, 4, 3)
_OF_TEST = ("lab_latest", "lab_first", "lab_course", "vital_latest", "vital_value")
_OF_DRUG = ("order", "given", "first_given", "adherence", "other_drug")
_OF_PATIENT = ("symptoms", "pain", "social", "function", "adherence", "other_drug")
_PERSON = (Briefed("age", 70), Briefed("sex", "female"))


def finding(kind: str, name: str, number: int = 0) -> Finding:
    """A finding of a kind about a test or drug, with the number-th values of its slots."""
    entity = _entity(kind, name)
    of_patient = kind in _OF_PATIENT
    tool = f"patient.get_{kind}" if of_patient else f"{entity.kind} search"
    call = PlannedCall(tool, {"of": f"{entity.name} {kind}"})
    slots = {}
    for kinds, slot, wording, cell in _made_values():
        if kind in kinds.split("; "):
            values = cell.split("; ")
            value = values[number % len(values)].replace("NAME", name)
            read = float(value) if wording in ("number", "ago") else value
            source = Recorded(0, 0, "Observation/1", slot, read)
            slots[slot] = Slot(cast("Wording", wording), source)
    if "state" in slots and slots["state"].source.value in ("good", "poor"):
        slots.pop("why")
    if number % 2 == 0:  # every second result is the first
        for name in ("before", "before_day"):
            slots.pop(name, None)
    return Finding(kind, entity, call, slots)


@cache
def _made_values() -> list[list[str]]:
    return list(read_rows(__package__, "made_values.tsv"))


def _entity(kind: str, name: str) -> Entity:
    if kind in _OF_TEST:
        return Entity("test", name)
    return Entity("drug", name) if kind in _OF_DRUG else Entity("stay")


def lookups() -> Iterator[tuple[str, list[Draft]]]:
    """Every question about one finding, in every form, with a label."""
    for kind in wordings("en")["finding"]:
        name = "potassium" if kind in _OF_TEST else "furosemide"
        for number in range(6):
            found = finding(kind, name, number)
            for form in (None, *FORMS):
                if has_form(kind, form):
                    draft = Draft("IL", form, "ehr", (found,), named=(found.entity,))
                    yield f"{kind} {form or 'explicit'}", [draft]


def gatherings() -> Iterator[tuple[str, list[Draft]]]:
    """Every kind of finding beside another one, in every form."""
    kinds = [kind for kind in wordings("en")["finding"] if has_phrase(kind, None)]
    for number, kind in enumerate(kinds):
        for form in FORMS:
            other = finding("lab_latest", "sodium", number)
            known = finding(kind, "potassium" if kind in _OF_TEST else "furosemide", number)
            if form != "AE" and has_phrase(kind, form):
                draft = Draft(
                    "DG", form, "ehr", (known, other),
                    named=(other.entity,), omitted=((known.entity, 0),),
                )  # fmt: skip
                yield f"{kind} {form}", [draft]
            new = finding(kind, "sodium" if kind in _OF_TEST else "digoxin", number)
            shown = finding("lab_latest", "potassium", number)
            if form != "AE":
                draft = Draft(
                    "DG", form, "ehr", (shown, new),
                    named=(new.entity,), omitted=((shown.entity, 0),),
                )  # fmt: skip
                yield f"lab_latest with {kind} {form}", [draft]
    for kind in ("lab_course", "order", "given", "first_given"):
        pair = ("potassium", "sodium") if kind in _OF_TEST else ("furosemide", "digoxin")
        # Orders of one day are not compared.
        for number in (1,) if kind == "order" else (0, 1):
            both = (finding(kind, pair[0], number), finding(kind, pair[1]))
            omitted = tuple((each.entity, turn) for turn, each in enumerate(both))
            draft = Draft("DG", "AE", "ehr", both, omitted=omitted)
            yield f"compared {kind}", [draft]


def harms() -> Iterator[tuple[str, list[Draft]]]:
    """Every rule whose harm shows in a result that a question can mean."""
    for bound in bound_rules():
        if bound.measure:
            kind = "vital_latest" if "rate" in bound.measure or "pressure" in bound.measure else ""
            found = finding(kind or "lab_latest", bound.measure)
            omitted = tuple((entity, 0) for entity in bound.entities)
            alone = Draft("IL", "AE", "ehr", (found,), bound, omitted=omitted)
            yield f"harm {bound.rule.name}", [alone]
            other = finding("report", "")
            both = replace(alone, type="DG", findings=(found, other), named=(other.entity,))
            yield f"harm {bound.rule.name} with a report", [both]


def reasonings() -> Iterator[tuple[str, list[Draft]]]:
    """Every rule with new evidence of each kind, in every form, after a turn about its first."""
    for bound in bound_rules():
        results = [finding("lab_latest", test) for test in bound.tests]
        accounts = [finding(_account(bound), bound.drug, 1)] if bound.is_told else []
        told = [finding("order", bound.drug)] if bound.drug else results[:1]
        if not told:
            told = [finding("main_diagnosis", "")]
        first = Draft("IL", None, "ehr", tuple(told[:1]), named=(told[0].entity,))
        for evidence in _evidence(bound, results, accounts):
            for form in FORMS:
                known = {*bound.entities} & (
                    {*bound.entities} if form == "AE" else {*first.entities}
                )
                if bound.is_score and known & {each.entity for each in evidence}:
                    continue
                if known:
                    named = tuple(e for e in bound.entities if e not in first.entities)
                    omitted = tuple((e, 0) for e in bound.entities if e in first.entities)
                    before = [first] if form != "AE" else _turns_about(bound, results, accounts)
                    draft = Draft(
                        "CR", form, "ehr", tuple(evidence), bound,
                        named=() if form == "AE" else named,
                        omitted=tuple((e, 0) for e in bound.entities) if form == "AE" else omitted,
                    )  # fmt: skip
                    kinds = ", ".join(each.kind for each in evidence)
                    yield f"{bound.rule.name} on {kinds} {form}", [*before, draft]


def orders() -> Iterator[tuple[str, list[Draft]]]:
    """Every rule with each write that it leads to, in every form."""
    for bound in bound_rules():
        results = [finding("lab_latest", test) for test in (*bound.tests, bound.rule.recheck)]
        found = [finding("order", name) for name in (bound.drug, bound.beside) if name]
        accounts = [finding(_account(bound), bound.drug, 1)] if bound.is_told else []
        history = [Draft("IL", None, "ehr", (each,)) for each in (*accounts, *results, *found)]
        about = Draft("CR", "AE", "ehr", tuple(found or results[:1]), bound)
        for form in FORMS:
            for draft in order_drafts(form, [*history, about], [bound], DAY, TOOLS):
                yield f"{bound.rule.name} {draft.write.tool} {form}", [*history, draft]


def bound_rules() -> list[BoundRule]:
    """A rule of each kind that is worded otherwise, with a drug of each of its classes."""
    bound = [_bound(rule) for rule in clinical_rules()]
    kinds = {
        (
            bool(each.drug), bool(each.beside), each.is_told, each.is_score, each.is_coded,
            each.is_watched, each.rule.action, each.rule.also, bool(each.measure),
            "consult" in each.object, "transfusion" in each.object,
        ): each
        for each in reversed(bound)
    }  # fmt: skip
    return list(kinds.values())


def texts(drafts: Sequence[Draft]) -> TurnTexts:
    """The texts of the last of some drafts."""
    return turn_texts(drafts, len(drafts) - 1, DAY.isoformat(), Random(0), _PERSON)


def _bound(rule: ClinicalRule) -> BoundRule:
    return BoundRule(rule, _member(rule.drug), _member(rule.beside), rule.action == "resupply")


def _member(group: str) -> str:
    """A drug of a class, or the drug itself."""
    return group if not group or drug_class(group) else next(iter(members(group)), group)


def _account(bound: BoundRule) -> str:
    return "other_drug" if bound.beside else "adherence"


def _evidence(
    bound: BoundRule, results: Sequence[Finding], accounts: Sequence[Finding]
) -> Iterator[Sequence[Finding]]:
    """The new findings that a turn on a rule may have."""
    coded = [finding("main_diagnosis", "")] if bound.is_coded else []
    yield [*results, *accounts, *coded]
    if bound.drug:
        yield [finding("given", bound.drug)]
        yield [finding("order", bound.drug), *results]
    if bound.is_watched:
        yield [finding(LATEST[0], bound.rule.recheck), *results]


def _turns_about(
    bound: BoundRule, results: Sequence[Finding], accounts: Sequence[Finding]
) -> list[Draft]:
    drugs = [finding("order", name) for name in (bound.drug, bound.beside) if name]
    coded = [finding("main_diagnosis", "")] if bound.is_coded else []
    found = [*drugs, *results, *accounts, *coded]
    return [Draft("IL", None, "ehr", (each,), named=(each.entity,)) for each in found]
