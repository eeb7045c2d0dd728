"""Drafts of write turns: a repeated test, a safety flag, or a renewed order."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from wardround.authoring.assist.drafts import BoundRule, Draft, History, pronouns
from wardround.authoring.assist.findings import Entity, Finding, PlannedCall
from wardround.benchmarks.assist.tasks import Subtype

_SOON = 1  # days within which a repeated test is urgent
_RENEWED = 7  # days of a renewed order


def order_drafts(
    form: Subtype | None, history: History, rules: Sequence[BoundRule], day: date
) -> Iterator[Draft]:
    """The drafts of a write turn; it omits an entity of the turn before, or of two turns.

    Args:
        form: the implicit form.
        history: the turns before.
        rules: the rules of the storyline.
        day: the day of the session.
    """
    for bound in rules:
        test = Entity("test", bound.rule.recheck)
        if omitted := _omitted(form, (test,), history):
            yield Draft("WU", form, "write", (), bound, _repeat(bound, day), (), omitted)
        if bound.drug and bound.rule.risk and (omitted := _omitted(form, bound.entities, history)):
            yield Draft("WU", form, "write", (), bound, _flag(bound), (), omitted)
    for finding in (each for draft in history for each in draft.findings):
        renewable = finding.kind == "order" and "frequency" in finding.slots and form != "AE"
        if renewable and (omitted := _omitted(form, (finding.entity,), history)):
            yield Draft("WU", form, "write", (), None, _renewal(finding), (), omitted)


def _omitted(
    form: Subtype | None, entities: Sequence[Entity], history: History
) -> tuple[tuple[Entity, int], ...]:
    """The entities with the turns that they come from; empty if the form leaves out others."""
    turns = [(e, n) for n, draft in enumerate(history) for e in draft.entities if e in entities]
    if form == "AE":
        numbers = {n for n, _ in enumerate(history) for e in entities if e in history[n].entities}
        return tuple(turns) if len(numbers) > 1 else ()
    meant = pronouns(history)
    return tuple((entity, meant[entity]) for entity in entities if entity in meant)


def _repeat(bound: BoundRule, day: date) -> PlannedCall:
    rule = bound.rule
    return PlannedCall(
        "ServiceRequest.create",
        {
            "service_type": rule.recheck,
            "priority": "urgent" if rule.days <= _SOON else "routine",
            "target_date": (day + timedelta(days=rule.days)).isoformat(),
        },
    )


def _flag(bound: BoundRule) -> PlannedCall:
    cause = f"{bound.drug} with {bound.beside}" if bound.beside else bound.drug
    return PlannedCall(
        "Flag.create",
        {"category": "safety", "code": f"{bound.rule.risk} risk", "detail": f"Risk from {cause}"},
    )


def _renewal(order: Finding) -> PlannedCall:
    values = {name: str(slot.source.value) for name, slot in order.slots.items()}
    return PlannedCall(
        "MedicationRequest.create",
        {
            "medication": values["drug"],
            "dose": values["dose"],
            "route": values["route"],
            "frequency": values["frequency"],
            "duration_days": _RENEWED,
        },
    )
