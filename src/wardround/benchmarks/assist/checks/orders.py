"""Orders as they were written: their fields, read from resources, and compared with the gold's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardround.benchmarks.assist.checks.amounts import same_amount
from wardround.benchmarks.assist.checks.evidence import TurnEvidence
from wardround.benchmarks.assist.checks.model import (
    Amount,
    FieldText,
    Finding,
    GoldOrder,
    OnlyOrder,
    Order,
    OrderField,
)
from wardround.benchmarks.assist.checks.quantities import days, quantities
from wardround.benchmarks.assist.tasks import GoldCall
from wardround.ehr.terms.chinese import TermKind, english, plain

KINDS: dict[str, TermKind] = {
    "medication": "drug", "route": "route", "frequency": "frequency", "priority": "priority",
    "category": "category", "service_type": "service",
}  # fmt: skip
AMOUNTS = ("dose", "duration_days")
TEXTS = ("indication", "note", "code", "detail")
PASSED = Finding("passed")


def fields_of(resource: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a written order by the names of the tools' arguments."""
    found = {name: text for name, text in _fields(resource) if text}
    return {"tool": f"{resource.get('resourceType', '')}.create", **found}


def _fields(resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kind = resource.get("resourceType")
    if kind == "MedicationRequest":
        yield from _medication_fields(resource)
    if kind == "ServiceRequest":
        yield "service_type", _text(resource.get("code"))
        yield "priority", resource.get("priority", "")
        yield "note", " ".join(note.get("text", "") for note in resource.get("note", ()))
        yield "target_date", resource.get("occurrenceDateTime", "")
    if kind == "Flag":
        yield "category", " ".join(map(_text, resource.get("category", ())))
        yield "code", resource.get("code", {}).get("text", "")
        codings = resource.get("code", {}).get("coding", ())
        yield "detail", " ".join(coding.get("display", "") for coding in codings)


def _medication_fields(resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "medication", _text(resource.get("medicationCodeableConcept"))
    dosage = (resource.get("dosageInstruction") or [{}])[0]
    route, frequency = _text(dosage.get("route")), _text(dosage.get("timing", {}).get("code"))
    rate = (dosage.get("doseAndRate") or [{}])[0].get("doseQuantity")
    words = dosage.get("text", "").removesuffix(f"{route} {frequency}".strip())
    yield "dose", f"{rate['value']} {rate.get('unit', '')}" if rate else words
    yield "route", route
    yield "frequency", frequency
    supply = resource.get("dispenseRequest", {}).get("expectedSupplyDuration", {})
    yield "duration_days", f"{supply['value']} days" if supply.get("value") else ""
    yield "indication", " ".join(map(_text, resource.get("reasonCode", ())))


def _text(concept: Mapping[str, Any] | None) -> str:
    concept = concept or {}
    displays = [coding.get("display", "") for coding in concept.get("coding", ())]
    return str(concept.get("text") or " ".join(displays))


def gold_fields(call: GoldCall) -> dict[str, str]:
    """The fields of a gold write."""
    skipped = ("subject_id", "hadm_id", "session_id")
    given = {n: str(v) for n, v in call.arguments.items() if n not in skipped and v not in ("", 0)}
    if "duration_days" in given:
        given["duration_days"] += " days"
    return {"tool": call.tool, **given}


def decide_order(
    check: Order | OrderField | FieldText | OnlyOrder | GoldOrder, evidence: TurnEvidence
) -> Finding:
    """Decides a check of what a turn wrote; texts of fields are left to the caller."""
    written = [fields_of(resource) for resource in evidence.written]
    gold = [gold_fields(call) for call in evidence.gold.calls if call.writes]
    if isinstance(check, OnlyOrder):
        return _only(written, gold)
    if not written:
        return Finding("failed", "nothing was written")
    match check:
        case Order(tool=tool):
            tools = [order["tool"] for order in written]
            return PASSED if tool in tools else Finding("failed", f"{tools[0]} was called")
        case OrderField():
            return _field(check, written)
        case GoldOrder():
            return _gold(written, gold)
        case FieldText():
            return Finding("undecided")


def _only(written: Sequence[Mapping[str, str]], gold: Sequence[Mapping[str, str]]) -> Finding:
    if len(written) > len(gold):
        return Finding("failed", f"{len(written)} orders were written, {len(gold)} wanted")
    wanted = [order["tool"] for order in gold]
    further = [order["tool"] for order in written if order["tool"] not in wanted]
    return Finding("failed", f"{further[0]} was called too") if further else PASSED


def _field(check: OrderField, written: Sequence[Mapping[str, str]]) -> Finding:
    values = [order[check.field] for order in written if check.field in order]
    if not values:
        return Finding("failed", f"the order has no {check.field}")
    fits = (_fits(check, value) for value in values)
    return PASSED if any(fits) else Finding("failed", f"{check.field} is {values[0]}")


def _fits(check: OrderField, value: str) -> bool:
    if check.field == "target_date":
        return any(value[: len(wanted)] == wanted for wanted in check.values)
    if check.amounts:
        return any(_is_amount(amount, value) for amount in check.amounts)
    kind = KINDS.get(check.field)
    return any(same_term(wanted, value, kind) for wanted in check.values)


def _is_amount(amount: Amount, value: str) -> bool:
    found = quantities(value)
    return any(same_amount(amount, quantity) is True for quantity in found)


def same_term(term: str, other: str, kind: TermKind | None) -> bool:
    """True if two texts name the same term of a kind, in either language.

    >>> same_term("furosemide", "速尿", "drug"), same_term("oral", "IV", "route")
    (True, False)
    """
    left = (english(term, kind) if kind else None) or " ".join(plain(term).split())
    right = (english(other, kind) if kind else None) or " ".join(plain(other).split())
    return left == right


def same_field(name: str, value: str, gold: str) -> bool | None:
    """True if a field means what the gold's does; None for texts that only a reader compares."""
    if name in AMOUNTS:
        amounts = [
            Amount(value=q.value, unit=q.unit, decimals=q.decimals) for q in quantities(gold)
        ]
        if amounts:
            return all(_is_amount(amount, value) for amount in amounts)
    if name == "target_date" and days(gold):
        return value[:10] == gold[:10]
    if same_term(value, gold, KINDS.get(name)):
        return True
    return None if name in TEXTS else False


def _gold(written: Sequence[Mapping[str, str]], gold: Sequence[Mapping[str, str]]) -> Finding:
    """Decides that the state is the gold's; another state may still fulfil an item."""
    if len(written) != len(gold) or not gold:
        return Finding("undecided", "the writes are not the gold's")
    for order, wanted in zip(written, gold, strict=True):
        names = set(wanted) | set(order)
        if any(name not in order or name not in wanted for name in names):
            return Finding("undecided", "the order has other fields than the gold's")
        if not all(same_field(name, order[name], wanted[name]) for name in names):
            return Finding("undecided", "the order differs from the gold's")
    return PASSED
