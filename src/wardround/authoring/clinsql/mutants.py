"""Mutants of gold queries: each has one fault of a kind that graders have to notice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp, parse_one

from wardround.authoring.clinsql import cohort_faults, measure_faults
from wardround.authoring.clinsql.queries import bigquery_text

# Changes a node of a copy of the gold in place; False, and nothing changed, if it does not apply.
Change: TypeAlias = Callable[[exp.Expr], bool]


@dataclass(frozen=True, slots=True)
class MutantKind:
    """A kind of fault.

    Attributes:
        name: Its name.
        breaks: Kinds of checks, one of which it fails where an item has them.
        may_fail: Kinds of other checks that it may fail as well.
        change: Makes the fault.
    """

    name: str
    breaks: frozenset[str]
    may_fail: frozenset[str]
    change: Change


@dataclass(frozen=True, slots=True)
class Mutant:
    """A gold query with one fault."""

    kind: MutantKind
    sql: str


def mutants(gold: str) -> Iterator[Mutant]:
    """The first mutant of each kind that applies to a gold query in BigQuery's dialect."""
    original = parse_one(gold, read="bigquery")
    for kind in KINDS:
        tree = original.copy()
        if any(map(kind.change, list(tree.walk()))):
            yield Mutant(kind, bigquery_text(tree))


def _kind(name: str, change: Change, breaks: str, may_fail: str = "") -> MutantKind:
    """A kind of fault; a changed result may differ in any of its values."""
    always = "all_of in_range ordered not_null file_exists"
    return MutantKind(
        name, frozenset(breaks.split()), frozenset(f"{may_fail} {always}".split()), change
    )


KINDS = (
    _kind("sex", cohort_faults.sex, "sex", "cohort"),
    _kind("age bound", cohort_faults.age_bound, "age", "cohort"),
    _kind("age convention", cohort_faults.age_convention, "age", "cohort"),
    _kind("boundary", cohort_faults.boundary, "age", "cohort"),
    _kind("code dropped", cohort_faults.code_dropped, "codes", "cohort"),
    _kind("code as keyword", cohort_faults.code_keyword, "codes", "cohort"),
    _kind("ICD version", cohort_faults.icd_version, "codes", "cohort"),
    _kind("join relaxed", cohort_faults.join_relaxed, "join", "cohort"),
    _kind("key", cohort_faults.key, "join", "cohort"),
    _kind("window", measure_faults.window, "window"),
    _kind("DISTINCT", measure_faults.distinct, "distinct", "measure"),
    _kind("denominator", measure_faults.denominator, "measure", "distinct percentage"),
    _kind("quartile for percentile", measure_faults.quartile, "measure"),
    _kind("unit", measure_faults.unit, "measure"),
    _kind("NULL filter", measure_faults.null_filter, "excludes_null", "cohort value_bounds"),
    _kind("missing column", measure_faults.column_missing, "column", "measure rounding distinct"),
    _kind("renamed column", measure_faults.column_renamed, "column", "rounding"),
)
