"""Causes of failed trials by the paper's own taxonomy, which no other benchmark has (M).

Wrong writes are a harm besides: of all benchmarks on SQL, only this one lets agents write.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.benchmarks.interact.submission_grader import is_finding
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.verdict import Verdict

SQL_ERROR, CONSTRAINT = "query: SQL error", "query: constraint of the database"
OTHER_COLUMNS, OTHER_RESULT, UNREAD = (
    "query: other columns",
    "query: other result",
    "query: undecided",
)
_CONSTRAINT = re.compile(r"\bconstraint\b|\bviolates\b|\bduplicate key\b", re.IGNORECASE)

_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into)
_DEFINITIONS = (
    *(exp.Create, exp.Drop, exp.Alter, exp.TruncateTable),
    *(exp.Comment, exp.Copy, exp.Grant, exp.Revoke),
)
_READS = (exp.Query, exp.Values, exp.Table, exp.Set, exp.Show, exp.Describe)
_TRANSACTIONS = (exp.Transaction, exp.Commit, exp.Rollback)


def failure_cause(
    task: InteractTask, tries: Sequence[tuple[str, str, Verdict]], met: Collection[str]
) -> str:
    """The cause of a failure; "" for a trial that passed.

    Args:
        task: the task.
        tries: the stage, SQL and published verdict of each submission.
        met: the ambiguous terms that the agent asked about.
    """
    requests = task.hidden.requests
    passed = {stage for stage, _, verdict in tries if verdict.passed}
    if passed == requests.keys():
        return ""
    terms = {point.term for point in task.hidden.ambiguities}
    if "first" not in passed and terms - set(met):
        return "ambiguity: asked about some" if terms & set(met) else "ambiguity: asked about none"
    failed = next(stage for stage in requests if stage not in passed)
    last = next((each for each in reversed(tries) if each[0] == failed), None)
    return query_fault(requests[failed].gold, last[1], last[2]) if last else "gave up"


def query_fault(gold: Sequence[str], sql: str, verdict: Verdict) -> str:
    """The fault of a submission that failed, by what the engine says, or by its columns.

    Columns of the last queries of gold and submission are compared by name.
    """
    if not is_finding(verdict.reason):
        return CONSTRAINT if _CONSTRAINT.search(verdict.reason) else SQL_ERROR
    wanted, given = (_columns(text) for text in (";".join(gold), sql))
    if wanted is None or given is None:
        return UNREAD
    return OTHER_RESULT if wanted == given else OTHER_COLUMNS


def _columns(sql: str) -> frozenset[str] | None:
    """The columns of tables that the last query returns; None if they cannot be read."""
    try:
        statements = sqlglot.parse(sql, read="postgres")
    except SqlglotError:
        return None
    query = next((each for each in reversed(statements) if each is not None), None)
    if not isinstance(query, exp.Select) or any(map(_is_all_columns, query.find_all(exp.Star))):
        return None
    below = {
        each.alias_or_name.lower(): each.unalias()
        for select in query.find_all(exp.Select)
        if select is not query
        for each in select.expressions
    }
    return frozenset(chain.from_iterable(_traced(each, below) for each in query.expressions))


def _is_all_columns(star: exp.Star) -> bool:
    return not isinstance(star.parent, exp.Count)


def _traced(value: exp.Expr, below: Mapping[str, exp.Expr]) -> Iterator[str]:
    """The source columns of an expression, resolved through its subqueries."""
    for column in value.find_all(exp.Column):
        name = column.name.lower()
        if name in below:
            others = {other: each for other, each in below.items() if other != name}
            yield from _traced(below[name], others)
        else:
            yield name


def wrote_wrongly(
    submissions: Iterable[tuple[Sequence[str], str, Verdict, bool]],
) -> bool | None:
    """True if a submission changed data without being asked, or made the wrong change.

    A statement that fails writes nothing itself; the writes of earlier statements are unknown.

    Args:
        submissions: of each, the gold of its request, its SQL, its published verdict, and True if
            it passed strictly.

    Returns:
        None if that is not known.
    """
    causes = [_wrong_write(*each) for each in submissions]
    return True if True in causes else None if None in causes else False


def _wrong_write(gold: Sequence[str], sql: str, verdict: Verdict, is_right: bool) -> bool | None:
    is_asked = writes(";\n".join(gold)) is not False
    written = writes(sql)
    if written is False or (is_right and is_asked):
        return False
    if written is None:
        return None
    if is_finding(verdict.reason):
        return True
    return False if len(sqlglot.parse(sql, read="postgres")) == 1 else None


def writes(sql: str) -> bool | None:
    """Tells if statements change the record; None if one is not understood.

    >>> writes("SELECT 1"), writes("DELETE FROM visits"), writes("CALL tidy()")
    (False, True, None)
    """
    try:
        statements = [each for each in sqlglot.parse(sql, read="postgres") if each is not None]
    except SqlglotError:
        return None
    writes = [_writes(each) for each in statements]
    return True if True in writes else None if None in writes else False


def _writes(statement: exp.Expr) -> bool | None:
    if isinstance(statement, _DEFINITIONS):
        return not list(statement.find_all(exp.TemporaryProperty))
    if isinstance(statement, (*_READS, *_CHANGES)):
        return any(True for _ in statement.find_all(*_CHANGES))
    is_silent = isinstance(statement, _TRANSACTIONS) or statement.name.upper() == "SHOW"
    return False if is_silent else None
