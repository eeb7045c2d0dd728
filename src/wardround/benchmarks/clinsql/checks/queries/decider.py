"""Decides checks of queries by meaning: conditions are traced to tables and tried on rows."""

from wardround.benchmarks.clinsql.checks.queries import filters, structure
from wardround.benchmarks.clinsql.checks.queries.facts import QueryFacts, query_facts
from wardround.benchmarks.clinsql.checks.queries.measures import decide_measure
from wardround.benchmarks.clinsql.checks.queries.scopes import UnreadableQueryError
from wardround.benchmarks.clinsql.checks.queries.selections import decide_selection
from wardround.benchmarks.clinsql.checks.queries.times import decide_stay, decide_window
from wardround.benchmarks.clinsql.checks.queries.vocabulary import Vocabulary, vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.items import checks
from wardround.benchmarks.clinsql.items.checks import AllOf, LeafCheck, SqlCheck
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.kit.checks import Finding, all_of

_UNLIKE_GOLD = "the gold does not meet the check either"


def decide_sql(
    check: SqlCheck | AllOf, sql: str, task: ClinTask, records: Executions | None
) -> Finding:
    """Decides a check of a query's text; cohorts are compared by `cohort_comparison`.

    A query fails no check that its gold fails: the check may misread its leaf.

    Args:
        check: the check.
        sql: the submitted query.
        task: its task.
        records: the run's database, for its codes, items and drugs; None uses only those that are
            named in check, query and gold.
    """
    gold = task.hidden.sql
    finding = decide_query(check, sql, gold, vocabulary(records))
    if finding.state != "failed" or sql == gold:
        return finding
    if decide_query(check, gold, gold, vocabulary(records)).state == "passed":
        return finding
    return Finding("undecided", f"{finding.reason}; {_UNLIKE_GOLD}")


def decide_query(check: LeafCheck, sql: str, gold: str | None, words: Vocabulary) -> Finding:
    """Decides a check of a query; the gold says what else a query may select."""
    if isinstance(check, AllOf):
        return all_of(decide_query(part, sql, gold, words) for part in check.checks)
    try:
        return _decided(check, query_facts(sql), _gold_facts(gold), words)
    except UnreadableQueryError as error:
        return Finding("undecided", str(error))


def _decided(
    check: LeafCheck, facts: QueryFacts, gold: QueryFacts | None, words: Vocabulary
) -> Finding:
    match check:
        case checks.Sex():
            return filters.decide_sex(check, facts)
        case checks.Age():
            return filters.decide_age(check, facts)
        case checks.Survival():
            return filters.decide_survival(check, facts)
        case checks.ExcludesNull():
            return filters.decide_null(check, facts)
        case checks.ValueBounds():
            return filters.decide_bounds(check, facts)
        case checks.Tables():
            return structure.decide_tables(check, facts)
        case checks.Join():
            return structure.decide_join(check, facts, gold)
        case checks.GroupBy():
            return structure.decide_group(check, facts)
        case checks.Rounding():
            return structure.decide_rounding(check, facts, gold)
        case checks.Distinct():
            return structure.decide_distinct(check, facts)
        case checks.Window():
            return decide_window(check, facts, gold)
        case checks.Stay():
            return decide_stay(check, facts)
        case checks.Measure():
            return decide_measure(check, facts, gold)
        case checks.Codes() | checks.Items() | checks.Drugs():
            return decide_selection(check, facts, gold, words)
        case _:
            return Finding("undecided", "no rule reads it from the text of a query")


def _gold_facts(gold: str | None) -> QueryFacts | None:
    try:
        return query_facts(gold) if gold else None
    except UnreadableQueryError:
        return None
