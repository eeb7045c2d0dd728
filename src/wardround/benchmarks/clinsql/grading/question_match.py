"""Finds queries that answer another question than the one that was asked, or none."""

from collections.abc import Iterable, Iterator, Sequence

from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.model import AllOf, LeafCheck
from wardround.benchmarks.clinsql.checks.query_analyser import query_facts
from wardround.benchmarks.clinsql.checks.query_facts import QueryFacts
from wardround.benchmarks.clinsql.checks.query_scopes import UnreadableQueryError
from wardround.benchmarks.clinsql.checks.results_checks import ColumnExists
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Drugs
from wardround.benchmarks.clinsql.checks.sql_selections import selects_others_only
from wardround.benchmarks.clinsql.checks.vocabulary import Vocabulary
from wardround.benchmarks.clinsql.checks.wanted_rows import SelectionCheck
from wardround.benchmarks.clinsql.gold_comparison.cohorts import CohortOverlap
from wardround.benchmarks.clinsql.grading.leaf_verdicts import PRECISION, QUERY, RECALL
from wardround.benchmarks.clinsql.tasks import ClinTask
from wardround.core.verdict import Verdict, program_source, verdict_key

ANSWER = program_source("answer")
_LEAST_OVERLAP = 0.5


def answer_verdicts(
    task: ClinTask, sql: str, decided: Iterable[Verdict], words: Vocabulary
) -> Iterator[Verdict]:
    """A failed verdict on a query that answers another question, or none.

    Such a query reads no table, gives none of the columns asked for, is about other conditions,
    procedures or drugs, or measures other people: its cohort and the gold's share less than half
    (F1).
    """
    known = list(decided)
    reason = _no_answer(task, sql, {verdict.item: verdict.state for verdict in known}, words)
    reason = reason or _other_people(known)
    if reason:
        key = verdict_key(ANSWER, task.id, sql)
        yield Verdict(QUERY, ANSWER, "failed", reason=reason, key=key)


def _no_answer(task: ClinTask, sql: str, states: dict[str, str], words: Vocabulary) -> str:
    try:
        facts = query_facts(sql)
    except UnreadableQueryError:
        return ""
    if not facts.tables:
        return "the query reads no table"
    columns = [item for item, check in task_checks(task).items() if _is_column(check)]
    if columns and all(states.get(item) == "failed" for item in columns):
        return "the result has none of the columns that are asked for"
    return _other_subject(task, facts, words)


def _other_subject(task: ClinTask, facts: QueryFacts, words: Vocabulary) -> str:
    """The reason if none of the codes of a table that are asked for is selected, or no drug."""
    subjects: dict[str, list[SelectionCheck]] = {}
    for check in task_checks(task).values():
        if isinstance(check, Codes | Drugs):
            table = check.table if isinstance(check, Codes) else "prescriptions"
            subjects.setdefault(table, []).append(check)
    for table, checks in subjects.items():
        if selects_others_only(checks, facts, words) and not _is_gold_so(task, checks, words):
            return f"the query selects nothing of {table} that is asked for, but something else"
    return ""


def _is_gold_so(task: ClinTask, checks: Sequence[SelectionCheck], words: Vocabulary) -> bool:
    """True if the gold selects something else too, or cannot be read."""
    try:
        return selects_others_only(checks, query_facts(task.hidden.sql), words)
    except UnreadableQueryError:
        return True


def _other_people(decided: Iterable[Verdict]) -> str:
    points = {verdict.item: verdict.points for verdict in decided}
    if PRECISION not in points or RECALL not in points:
        return ""
    overlap = CohortOverlap(points[PRECISION], points[RECALL])
    return "the query measures other people" if overlap.f1 < _LEAST_OVERLAP else ""


def _is_column(check: LeafCheck) -> bool:
    return isinstance(check, ColumnExists) or (
        isinstance(check, AllOf) and any(map(_is_column, check.checks))
    )
