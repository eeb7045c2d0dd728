"""Looks a database over: what it is, what is wrong with it, and which benchmarks it can serve."""

from wardround.ehr.inspection.examine import examine
from wardround.ehr.inspection.findings import (
    Dangling,
    Diagnosis,
    Repeated,
    Service,
    Standing,
    TableFacts,
    TimeSpan,
)

__all__ = [
    "Dangling",
    "Diagnosis",
    "Repeated",
    "Service",
    "Standing",
    "TableFacts",
    "TimeSpan",
    "examine",
]
