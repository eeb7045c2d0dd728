"""Verdicts on IncreQA queries, from the agent's own results if they are complete."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass

from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.benchmarks.kit.constant_queries import (
    founded_state,
    gives_constants,
    rests_on_records,
)
from wardround.benchmarks.kit.evidence import difference
from wardround.core.actions import Call
from wardround.core.benchmark import JudgeContext
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.ehr.database import Database, QueryError, ResultTable
from wardround.scoring.results import Rows, column_matches, same_table

SQL = "sql_execute"
PAPER, STRICT = "program:paper", "program:strict"
NO_RESULT = "no result"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the agent, with its number in the trial, from 1."""

    number: int
    sql: str

    @property
    def item(self) -> str:
        """The query's name in verdicts."""
        return f"query {self.number}"


def query_of(call: Call | Called) -> str | None:
    """Returns the SQL of a call of the SQL tool; None for other calls."""
    sql = call.arguments.get("query") if call.tool == SQL else None
    return sql.strip() if isinstance(sql, str) else None


def queries_of(trajectory: Trajectory) -> list[Query]:
    """Lists the queries of a trial, in order."""
    queries = [sql for call in trajectory.calls(SQL) if (sql := query_of(call)) is not None]
    return [Query(number, sql) for number, sql in enumerate(queries, start=1)]


def read_texts(trajectory: Trajectory) -> list[str]:
    """Lists the results that tools returned, without those of queries that read no record."""
    texts: list[str] = []
    sql: str | None = None
    for event in trajectory.events:
        if isinstance(event, Called):
            sql = query_of(event)
        elif isinstance(event, Returned) and not (sql and gives_constants(sql)):
            texts.append(event.text)
    return texts


@dataclass(frozen=True, slots=True)
class Graders:
    """The databases that queries run on again, each query for some seconds at most."""

    database_of: Callable[[ChatTask], Database]
    seconds: float


async def verdicts(
    task: ChatTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Grades the queries whose results were truncated for the agent (paper, A.6)."""
    database, seconds = graders.database_of(task), graders.seconds
    rests = record_test(task, database, seconds)
    for query in ungraded(task, trajectory, context.known):
        rows = await to_thread(whole_result, query.sql, database, seconds)
        for verdict in await to_thread(query_verdicts, task, query, rows, rests):
            yield verdict


def ungraded(
    task: ChatTask, trajectory: Trajectory, known: Mapping[str, Verdict]
) -> Iterator[Query]:
    """Yields the queries without verdicts; none for AdaptQA, which is graded by messages."""
    if task.public.flow == "incre":
        for query in queries_of(trajectory):
            if _key(task, query, PAPER) not in known or _key(task, query, STRICT) not in known:
                yield query


def query_verdicts(
    task: ChatTask, query: Query, rows: Rows | None, rests: Callable[[str], bool | None]
) -> tuple[Verdict, Verdict]:
    """Grades a query by the published and the strict comparison (paper, A.6.1).

    In strict grading, a right result that does not come from the records earns nothing, and the
    result of a query that is not understood is undecided.

    Args:
        task: the task, with its gold answer.
        query: the query.
        rows: its complete result; None if it failed.
        rests: tells of a query with the gold's result if it rests on the records; None if unknown.
    """
    gold = task.hidden.gold_answer
    matches = rows is not None and column_matches(gold, rows)
    is_gold = rows is not None and same_table(gold, rows)
    return (
        _verdict(task, query, PAPER, rows, passed=matches),
        _founded(task, query, rests)
        if is_gold
        else _verdict(task, query, STRICT, rows, passed=False),
    )


def whole_result(sql: str, database: Database, seconds: float) -> Rows | None:
    """Runs a query for all rows, since graders sort before truncating; None if it fails."""
    try:
        return database.execute(sql, rows=None, seconds=seconds).rows
    except QueryError:
        return None


def record_test(task: ChatTask, database: Database, seconds: float) -> Callable[[str], bool | None]:
    """Returns a test of queries with the gold's result: do they rest on the records?"""

    def rests(sql: str) -> bool | None:
        return rests_on_records(
            sql,
            task.hidden.gold_sql,
            database.dialect,
            lambda query: whole_result(query, database, seconds),
        )

    return rests


class QueryGrader:
    """Grades the queries of a running trial from the agent's results.

    Queries with truncated results or the gold's, and queries that were not run, are left to the
    judge.

    Args:
        task: the task, with its gold answer.
        store: called with each verdict.
    """

    def __init__(self, task: ChatTask, store: Callable[[Verdict], None]) -> None:
        self._task = task
        self._store = store
        self._queries = 0

    def called(self, call: Call) -> None:
        """Counts the queries, before they are carried out."""
        if query_of(call) is not None:
            self._queries += 1

    def ran(self, sql: str, result: ResultTable | None) -> None:
        """Grades the current call's query by its result; None if it failed."""
        if self._task.public.flow != "incre" or (result is not None and result.truncated):
            return
        rows = None if result is None else result.rows
        if rows is not None and same_table(self._task.hidden.gold_answer, rows):
            return
        query = Query(self._queries, sql.strip())
        for verdict in query_verdicts(self._task, query, rows, lambda sql: None):
            self._store(verdict)


def _verdict(
    task: ChatTask, query: Query, source: str, rows: Rows | None, *, passed: bool
) -> Verdict:
    state = state_of(passed)
    reason = NO_RESULT if rows is None else ""
    evidence = "" if passed else difference(task.hidden.gold_answer, rows)
    key = _key(task, query, source)
    return Verdict(query.item, source, state, reason=reason, key=key, evidence=evidence)


def _founded(task: ChatTask, query: Query, rests: Callable[[str], bool | None]) -> Verdict:
    """The strict verdict on a right result."""
    state, reason = founded_state(rests(query.sql))
    key = _key(task, query, STRICT)
    return Verdict(query.item, STRICT, state, reason=reason, key=key)


def _key(task: ChatTask, query: Query, source: str) -> str:
    return verdict_key(source, query.number, query.sql, task.hidden.gold_answer)
