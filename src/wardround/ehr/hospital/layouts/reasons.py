"""Names of the reason for a stay in admission, billing and APACHE."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.layout import Value
from wardround.ehr.hospital.stays import Stay


@dataclass(frozen=True)
class Reason:
    """Names of a reason for admission; reasons.tsv documents the fields."""

    drg: str
    drg_title: str
    apr: str
    apr_title: str
    admission: str
    apache: str
    apache_code: str
    system: str


def reason_of(stay: Stay) -> Reason:
    """The names of a stay's reason."""
    return _reasons()[stay.reason.name]


def severity_of(stay: Stay) -> tuple[int, int]:
    """Severity of illness and mortality risk, 1 to 4, by the number of acute problems."""
    acute = sum(problem.acute for problem in stay.problems)
    severity = min(4, 1 + acute // 2)
    return severity, min(4, severity + stay.died) if stay.age >= 65 else max(1, severity - 1)


def drg_columns(stay: Stay, payers: str, refined: str) -> Iterator[dict[str, Value]]:
    """The columns of a stay's two diagnosis-related groups; only the refined one has a severity.

    Args:
        stay: the stay.
        payers: how the layout writes the type of the payers' groups.
        refined: how it writes that of the groups by severity.
    """
    reason = reason_of(stay)
    ids: dict[str, Value] = {"subject_id": stay.person.subject_id, "hadm_id": stay.hadm_id}
    yield {**ids, "drg_type": payers, "drg_code": reason.drg, "description": reason.drg_title}
    severity, mortality = severity_of(stay)
    yield {
        **ids,
        "drg_type": refined,
        "drg_code": reason.apr,
        "description": reason.apr_title,
        "drg_severity": severity,
        "drg_mortality": mortality,
    }


@cache
def _reasons() -> dict[str, Reason]:
    return {
        row["reason"]: Reason(**{name: row[name] for name in Reason.__dataclass_fields__})
        for row in table("forms/reasons")
    }
