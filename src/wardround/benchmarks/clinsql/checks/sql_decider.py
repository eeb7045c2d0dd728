"""Decides checks of queries by meaning: conditions are traced to tables and tried on rows."""

from collections.abc import Callable
from typing import TypeAlias

from wardround.benchmarks.clinsql.checks import sql_checks
from wardround.benchmarks.clinsql.checks.model import AllOf, Finding
from wardround.benchmarks.clinsql.checks.query_analyser import query_facts
from wardround.benchmarks.clinsql.checks.query_facts import QueryFacts
from wardround.benchmarks.clinsql.checks.query_scopes import UnreadableQueryError
from wardround.benchmarks.clinsql.checks.sql_checks import SqlCheck
from wardround.benchmarks.clinsql.checks.sql_joins import decide_join, decide_tables
from wardround.benchmarks.clinsql.checks.sql_measures import decide_measure
from wardround.benchmarks.clinsql.checks.sql_people import decide_age, decide_sex, decide_survival
from wardround.benchmarks.clinsql.checks.sql_selections import decide_selection
from wardround.benchmarks.clinsql.checks.sql_shape import (
    decide_bounds,
    decide_distinct,
    decide_group,
    decide_null,
    decide_rounding,
)
from wardround.benchmarks.clinsql.checks.sql_times import decide_stay, decide_window
from wardround.benchmarks.clinsql.checks.vocabulary import Vocabulary, vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.tasks import ClinTask

Decider: TypeAlias = Callable[[SqlCheck, QueryFacts, QueryFacts | None, Vocabulary], Finding]
_UNLIKE_GOLD = "the gold does not meet the check either"


def decide_sql(
    check: SqlCheck | AllOf, sql: str, task: ClinTask, records: Executions | None
) -> Finding:
    """Decides a check of a query's text; cohorts are compared by `cohort_comparison`.

    A query fails no check that its gold fails: the check may misread its leaf.

    Args:
        check: The check.
        sql: The submitted query.
        task: Its task.
        records: The run's database, whose codes, items and drugs are looked up; None uses only
            those that are named in check, query and gold.
    """
    gold = task.hidden.sql
    found = decide_query(check, sql, gold, vocabulary(records))
    if found.state != "failed" or sql == gold:
        return found
    if decide_query(check, gold, gold, vocabulary(records)).state == "passed":
        return found
    return Finding("undecided", f"{found.reason}; {_UNLIKE_GOLD}")


def decide_query(check: SqlCheck | AllOf, sql: str, gold: str | None, words: Vocabulary) -> Finding:
    """Decides a check of a query; the gold says what else a query may select."""
    if isinstance(check, AllOf):
        return _all([decide_query(part, sql, gold, words) for part in check.checks])  # type: ignore[arg-type]
    decider = _DECIDERS.get(type(check))
    if decider is None:
        return Finding("undecided", "it is decided by comparing cohorts")
    try:
        facts = query_facts(sql)
    except UnreadableQueryError as error:
        return Finding("undecided", str(error))
    return decider(check, facts, _gold_facts(gold), words)


def _all(findings: list[Finding]) -> Finding:
    for state in ("failed", "undecided"):
        for finding in findings:
            if finding.state == state:
                return finding
    return Finding("passed", "; ".join(finding.reason for finding in findings))


def _gold_facts(gold: str | None) -> QueryFacts | None:
    try:
        return query_facts(gold) if gold else None
    except UnreadableQueryError:
        return None


def _decider(decide: Callable[..., Finding], arguments: int) -> Decider:
    return lambda check, *more: decide(check, *more[:arguments])


_DECIDERS: dict[type, Decider] = {
    sql_checks.Sex: _decider(decide_sex, 1),
    sql_checks.Age: _decider(decide_age, 1),
    sql_checks.Survival: _decider(decide_survival, 1),
    sql_checks.Tables: _decider(decide_tables, 1),
    sql_checks.Join: _decider(decide_join, 2),
    sql_checks.GroupBy: _decider(decide_group, 1),
    sql_checks.Rounding: _decider(decide_rounding, 2),
    sql_checks.Distinct: _decider(decide_distinct, 1),
    sql_checks.ExcludesNull: _decider(decide_null, 1),
    sql_checks.ValueBounds: _decider(decide_bounds, 1),
    sql_checks.Stay: _decider(decide_stay, 2),
    sql_checks.Window: _decider(decide_window, 2),
    sql_checks.Measure: _decider(decide_measure, 2),
    sql_checks.Codes: _decider(decide_selection, 3),
    sql_checks.Items: _decider(decide_selection, 3),
    sql_checks.Drugs: _decider(decide_selection, 3),
}
