"""Value bands on another database than MIMIC-IV 3.1: those of the gold's result there."""

from collections.abc import Mapping

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.column_matcher import find_column
from wardround.benchmarks.clinsql.checks.model import AllOf, LeafCheck
from wardround.benchmarks.clinsql.checks.results_checks import InRange
from wardround.benchmarks.clinsql.execution import Executions
from wardround.ehr.schema import load_schema

VERSION = "3.1"
_COUNTS = {
    "patients": "SELECT COUNT(*) AS n FROM `mimiciv_3_1_hosp.patients`",
    "admissions": "SELECT COUNT(*) AS n FROM `mimiciv_3_1_hosp.admissions`",
}
_REMOVED = 0.001  # the share of rows that removed anchor patients may have had


def is_published_database(executions: Executions) -> bool:
    """True if a database has as many patients and admissions as MIMIC-IV 3.1."""
    published = load_schema("mimic_iv").rows[VERSION]
    counts = {table: _count(executions, sql) for table, sql in _COUNTS.items()}
    return is_published_size(counts, published)


def is_published_size(counts: Mapping[str, int], published: Mapping[str, int]) -> bool:
    """True if all counts are those published, or hardly below.

    >>> is_published_size({"patients": 364_600}, {"patients": 364_627})
    True
    """
    return all(
        (1 - _REMOVED) * published[table] <= count <= published[table]
        for table, count in counts.items()
    )


def rebased(check: LeafCheck, gold: ResultFacts, percent: float) -> LeafCheck | None:
    """The check with bands of the gold's values, widened by `percent`; others as they are.

    None if the gold has no numbers in the column.

    >>> from wardround.benchmarks.clinsql.checks.results_checks import Column
    >>> check = InRange(column=Column(names=("n",), position=0), low=1, high=5)
    >>> found = rebased(check, ResultFacts(("n",), [(200,), (300,)]), 1)
    >>> found.low, found.high
    (198.0, 303.0)
    """
    if isinstance(check, AllOf):
        parts = [rebased(part, gold, percent) for part in check.checks]
        found = tuple(part for part in parts if part is not None)
        return AllOf(checks=found) if len(found) == len(parts) else None
    if not isinstance(check, InRange):
        return check
    match = find_column(check.column, gold, gold)
    facts = gold.column(match.at) if match and gold.rows else None
    if facts is None or facts.low is None or facts.high is None:
        return None
    share = percent / 100
    low, high = facts.low - abs(facts.low) * share, facts.high + abs(facts.high) * share
    return InRange(column=check.column, low=low, high=high, band=check.band)


def has_band(check: LeafCheck) -> bool:
    """True if a check has a value band."""
    parts = check.checks if isinstance(check, AllOf) else (check,)
    return any(isinstance(part, InRange) for part in parts)


def _count(executions: Executions, sql: str) -> int:
    counted = executions.of(sql)
    return int(counted.rows[0][0] or 0) if counted.rows else 0
