"""The values of a resource that searches look at, by search parameter."""

from wardround.ehr.fhir.index.extraction import element_entries, element_plan, entries
from wardround.ehr.fhir.index.values import (
    Entry,
    Interval,
    Quantity,
    Reference,
    Text,
    Token,
    Value,
)

__all__ = [
    "Entry",
    "Interval",
    "Quantity",
    "Reference",
    "Text",
    "Token",
    "Value",
    "element_entries",
    "element_plan",
    "entries",
]
