"""Rules that a made item must keep; each names the reason for which a draft is dropped."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import select

from wardround.authoring.clinsql.drafts import Draft
from wardround.authoring.clinsql.gold_query.predicates import (
    has_items,
)
from wardround.authoring.clinsql.gold_query.query import gold_query, query_text
from wardround.authoring.clinsql.gold_query.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    sql,
)
from wardround.authoring.clinsql.results_rubric import (
    acceptable,
    column_values,
    numeric_columns,
    plausible,
)
from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.checks.results import decide_results
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.gold.cohorts import tree_lineage
from wardround.benchmarks.clinsql.items.checks import AllOf, Cohort, SqlCheck
from wardround.benchmarks.clinsql.items.result_files import CsvTable, read_csv, write_csv
from wardround.ehr.database import Database
from wardround.ehr.records import without_unread
from wardround.scoring.rubrics.lint import rubric_problems

FAILS, SMALL, EVERYONE, IDLE = "query fails", "small cohort", "everyone", "idle condition"
WINDOW, COMPANION = "idle window", "idle second drug"
EMPTY, BANDS = "empty cell", "value outside its bands"
TRIVIAL, FORM = "trivial result", "malformed rubric or CSV"
UNDECIDED = "undecided leaf"
_SECONDS = 60.0
_FEWEST_GROUPS = 3

_KINDS = ("lab", "vital")


class Rules:
    """The rules, on a database.

    Args:
        database: Where queries run; the anchor of a draft is hidden from them.
        tables: Its tables.
        least: The smallest number of patients of a cohort.
    """

    def __init__(self, database: Database, tables: RecordTables, least: int) -> None:
        self._database = database
        self._tables = tables
        self._executions = Executions(database, _SECONDS)
        self._least = least
        self._patient = tables.name("patient", "patient")
        people = from_rows(select(self._patient), tables.rows("patient"))
        self._everyone = self._count(without_unread(people).sql(DIALECT)) or 0

    def gold(self, draft: Draft) -> CsvTable | str:
        """The gold result of a draft, or the reason for which it is dropped."""
        hidden = self._database.hiding(draft.anchor.subject_id)
        self._executions = Executions(hidden, _SECONDS)
        patients = self._cohort(draft.spec, self._patient)
        if patients is None:
            return FAILS
        if patients < self._least:
            return SMALL
        if patients >= self._everyone:
            return EVERYONE
        outcome = self._executions.of(draft.sql)
        if not outcome.succeeded:
            return FAILS
        return next(self._faults(draft, outcome.csv), outcome.csv)

    def _faults(self, draft: Draft, gold: CsvTable) -> Iterator[str]:
        if any(cell is None for row in gold.rows for cell in row):
            yield EMPTY
        elif _is_trivial(draft.spec, gold):
            yield TRIVIAL
        elif not _in_bands(draft.spec, gold):
            yield BANDS
        elif self._idle_condition(draft.spec):
            yield IDLE
        elif self._is_idle(gold, replace(draft.spec, hours=None), draft.spec):
            yield WINDOW
        elif self._is_idle(gold, _without_companion(draft.spec), draft.spec):
            yield COMPANION
        elif not _well_formed(draft, gold):
            yield FORM
        elif not _is_decided(draft, gold):
            yield UNDECIDED

    def _cohort(self, spec: QuestionSpec, key: str) -> int | None:
        """The number of a cohort's ids; None if its query fails."""
        return self._count(tree_lineage(gold_query(spec, self._tables), [key]).query(key))

    def _count(self, sql: str) -> int | None:
        outcome = self._executions.of(sql)
        return len(outcome.rows) if outcome.succeeded else None

    def _idle_condition(self, spec: QuestionSpec) -> bool:
        """True if the cohort stays as it is without one of its conditions."""
        key = self._tables.key(spec.cohort)
        size = self._cohort(spec, key)
        looser = (replace(spec, cohort=cohort) for cohort in without_conditions(spec.cohort))
        return any(self._cohort(variant, key) == size for variant in looser)

    def _is_idle(self, gold: CsvTable, looser: QuestionSpec, spec: QuestionSpec) -> bool:
        """True if a looser question, if it is another, has the same result."""
        return looser != spec and self._executions.of(query_text(looser, self._tables)).csv == gold


def without_conditions(cohort: CohortSpec) -> Iterator[CohortSpec]:
    """The cohort without each of its conditions; every one of them is larger or equal."""
    if cohort.sex:
        yield replace(cohort, sex=None)
    if cohort.ages:
        yield replace(cohort, ages=None)
    if cohort.condition:
        yield replace(cohort, condition=None)


def _without_companion(spec: QuestionSpec) -> QuestionSpec:
    if spec.concept is None or spec.statistic == "both":
        return spec
    return replace(spec, concept=replace(spec.concept, companion=None))


def _is_trivial(spec: QuestionSpec, gold: CsvTable) -> bool:
    """True if groups are missing, every share is 0 or 100, or most stays have one value."""
    if spec.summary == "distribution":
        return len(gold.rows) < _FEWEST_GROUPS
    if len(gold.rows) != {"quartiles": 4, "strata": 2}.get(spec.summary, 1):
        return True
    if spec.summary == "spread":
        low, high = (column_values(gold, f"p{percent}_{spec.value}") for percent in (25, 75))
        return low == high
    share = f"{spec.counted}_percent"
    return share in gold.columns and set(column_values(gold, share)) <= {0.0, 100.0}


def _in_bands(spec: QuestionSpec, gold: CsvTable) -> bool:
    return all(
        low <= value <= high
        for name in numeric_columns(gold)
        for low, high in (plausible(spec, name), acceptable(spec, gold, name))
        for value in column_values(gold, name)
    )


def _well_formed(draft: Draft, gold: CsvTable) -> bool:
    """N.5: the CSV can be read back, trees have no fault, and no leaf says what another says."""
    if read_csv(write_csv(gold), "the result") != gold:
        return False
    for group in draft.rubrics(gold).values():
        texts = [leaf.requirement for leaf in group.leaves]
        if rubric_problems(group.node) or len(set(texts)) < len(texts):
            return False
    return True


def _is_decided(draft: Draft, gold: CsvTable) -> bool:
    """True if programs pass the gold by every leaf; cohorts are compared in a run."""
    facts = ResultFacts(gold.columns, gold.rows)
    findings = [
        decide_query(leaf.check, draft.sql, draft.sql, vocabulary(None))
        if isinstance(leaf.check, SqlCheck | AllOf)
        else decide_results(leaf.check, facts, facts)
        for group in draft.rubrics(gold).values()
        for leaf in group.leaves
        if not isinstance(leaf.check, Cohort)
    ]
    return all(finding.state == "passed" for finding in findings)


@dataclass(frozen=True, slots=True)
class _Named:
    """The records of a name: how many tests have it, how many units they have, and one of these."""

    tests: int
    units: int
    unit: str


def with_tests(tables: RecordTables, database: Database) -> RecordTables:
    """The tables of a database with the tests in them."""
    return replace(tables, tests=dict(_tests(database, tables)))


def _tests(database: Database, tables: RecordTables) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The unit of each name that only one test of any kind has, in one unit, by kind."""
    named = {kind: _named(database, kind, tables) for kind in _KINDS}
    kinds = Counter(name.lower() for units in named.values() for name in units)
    for kind, units in named.items():
        yield (
            kind,
            {
                name: each.unit
                for name, each in units.items()
                if each.tests == each.units == kinds[name.lower()] == 1
            },
        )


def _named(database: Database, kind: str, tables: RecordTables) -> Mapping[str, _Named]:
    needed = all(tables.records.has(kind, column) for column in ("name", "value", "unit"))
    if not needed or has_items(kind, tables):
        return {}
    rows = tables.rows(kind)
    test = next(column for column in ("concept", "code", "name") if column in rows.columns)
    unit = sql(rows, "unit")
    items = [
        f"{sql(rows, 'name')} AS name",
        f"COUNT(DISTINCT {sql(rows, test)}) AS tests",
        f"COUNT(DISTINCT {unit}) AS units",
        f"MIN({unit}) AS unit",
    ]
    query = from_rows(select(*items, dialect=DIALECT), rows)
    query = query.where(f"{sql(rows, 'value')} IS NOT NULL", dialect=DIALECT)
    query = without_unread(query.group_by("1").order_by("1"))
    result = database.execute(query.sql(DIALECT), rows=100_000, seconds=600)
    return {
        str(name): _Named(int(tests or 0), int(units or 0), str(unit))
        for name, tests, units, unit in result.rows
        if name is not None
    }
