"""Elements of resources: the time, the number, the names and codes of what they are about."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from wardround.agents.fhir_reader.channel import Resource

_TIMES = ("effectiveDateTime", "issued", "performedDateTime", "authoredOn", "recordedDate")


def time_text(resource: Resource) -> str:
    """The time of an event as the record writes it; empty if it has none."""
    periods = (resource.get(name, {}) for name in ("period", "performedPeriod", "effectivePeriod"))
    times = [resource.get(name, "") for name in _TIMES] + [
        period.get("start") for period in periods
    ]
    return next((str(time) for time in times if time), "")


def time_of(resource: Resource) -> datetime:
    """The time of an event; the least time if it has none."""
    text = time_text(resource)
    time = datetime.fromisoformat(text) if text else datetime.min
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def value_of(resource: Resource) -> float | str | None:
    """The value of a measurement."""
    quantity = resource.get("valueQuantity", {}).get("value")
    return quantity if quantity is not None else resource.get("valueString")


def names_of(resource: Resource) -> Iterator[str]:
    """The text, displays and codes of a resource's concept."""
    concept = resource.get("code") or resource.get("medicationCodeableConcept") or {}
    texts: list[Any] = [concept.get("text")]
    for coding in concept.get("coding", ()):
        texts += [coding.get("display"), coding.get("code")]
    yield from (str(text) for text in texts if text)


def code_of(resource: Resource) -> str:
    """The code of a resource's concept."""
    codings = resource.get("code", {}).get("coding", ())
    return next((str(each["code"]) for each in codings if "code" in each), "")


def length_named(resource: Resource, text: str) -> int:
    """The length of the longest name of a resource that stands in a text; 0 for none."""
    lengths = (
        len(name)
        for name in names_of(resource)
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    )
    return max(lengths, default=0)


def with_drugs(resources: Sequence[Resource]) -> list[Resource]:
    """The events among resources, orders with the names of the medications that they refer to."""
    kinds = [(each["resourceType"] == "Medication", each) for each in resources]
    drugs = {f"Medication/{each['id']}": each for is_drug, each in kinds if is_drug}
    return [_with_drug(each, drugs) for is_drug, each in kinds if not is_drug]


def _with_drug(order: Resource, drugs: dict[str, Resource]) -> Resource:
    drug = drugs.get(order.get("medicationReference", {}).get("reference", ""))
    return {**order, "code": _concept(drug)} if drug else order


def _concept(drug: Resource) -> dict[str, Any]:
    """The code of a medication; where it is only an identifier, that as text."""
    values = [each["value"] for each in drug.get("identifier", ()) if "value" in each]
    names = {"text": values[-1].split("--")[0]} if values else {}
    return {**names, **drug.get("code", {})}
