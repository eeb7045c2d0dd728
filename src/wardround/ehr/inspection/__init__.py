"""Inspection of a database: schema, faults, and the benchmarks that can run on it."""

from wardround.ehr.inspection.diagnosis import examine
from wardround.ehr.inspection.findings import (
    DanglingReference,
    Diagnosis,
    DuplicateKey,
    Service,
    Standing,
    TableFacts,
    TimeSpan,
)

__all__ = [
    "DanglingReference",
    "Diagnosis",
    "DuplicateKey",
    "Service",
    "Standing",
    "TableFacts",
    "TimeSpan",
    "examine",
]
