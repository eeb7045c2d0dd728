"""Checks a task's golds, including their test programs and the order of rows."""

from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.benchmarks.interact.declaration import MODES, Mode
from wardround.benchmarks.interact.gold.results import gold_of
from wardround.benchmarks.interact.submission_grader import Grader, is_tested, lasting_of
from wardround.benchmarks.interact.tasks import InteractTask, Subtask
from wardround.ehr.database import QueryError, Workspace
from wardround.ehr.database.postgres.statements import SECONDS, Start, run_statements
from wardround.sandbox.test_programs.run import Finished
from wardround.scoring.soft_results import softened_rows
from wardround.scoring.sql_cuts import syntax_tree

_NAMES = {"first": "first request", "second": "follow-up"}
_NOT_THE_SAME = (
    "its gold does not give the same twice in {mode} mode; make its order and ties certain."
)
_NO_ORDER = "its gold's rows come in no fixed order, which counts; break the ties of its ORDER BY."


def check_gold(
    task: InteractTask, workspace: Workspace, grader: Grader, seconds: float = SECONDS
) -> str:
    """Grades a task's golds in order and returns the first problem, or "".

    The workspace is written to; `seconds` is the time limit of each statement.

    Raises:
        InfraError: the server failed.
    """
    start = Start(workspace, task.hidden.before, seconds)
    for stage, subtask in task.hidden.requests.items():
        name = _NAMES[stage]
        try:
            start.restore()
        except QueryError as error:
            return f"{name}: its preprocess_sql fails ({error}); mend it or check the database."
        if problem := _problem(subtask, start, grader):
            return f"{name}: {problem}"
        start = replace(start, before=(*start.before, *lasting_of(subtask, gold_of(subtask))))
    return ""


def _problem(subtask: Subtask, start: Start, grader: Grader) -> str:
    for mode in MODES:
        check = _tests_problem if is_tested(subtask, mode) else _result_problem
        if problem := check(subtask, start, grader, mode):
            return problem
        start.restore()
    is_ordered = subtask.conditions.order and not subtask.tests
    return _NO_ORDER if is_ordered and _has_ties(subtask, start) else ""


def _result_problem(subtask: Subtask, start: Start, grader: Grader, mode: Mode) -> str:
    grade = grader.compare(subtask, gold_of(subtask), start, mode)
    if grade.outcome == "broken":
        return f"{grade.reason.rstrip('.')}; mend sol_sql or test_cases, or check the database."
    return "" if grade.passed else _NOT_THE_SAME.format(mode=mode)


def _has_ties(subtask: Subtask, start: Start) -> bool:
    """True if the gold's ORDER BY, or its absence, leaves the order of rows open."""
    *before, last = gold_of(subtask)
    ran = run_statements(start.workspace, (*before, last), start.seconds)
    width = len(ran.last.columns) if ran.last else 0
    orders = []
    for query in tied_orders(last, width):
        start.restore()
        rows = run_statements(start.workspace, (*before, query), start.seconds).rows
        orders.append(softened_rows(rows))
    start.restore()
    return any(rows != orders[0] for rows in orders)


def _tests_problem(subtask: Subtask, start: Start, grader: Grader, mode: Mode) -> str:
    gold = gold_of(subtask)
    ran = run_statements(start.workspace, gold, start.seconds)
    if ran.error is not None:
        return f"its gold fails ({ran.error}); mend sol_sql or check the database."
    finished = grader.run_tests(subtask, gold, start, ran, mode)
    return next(filter(None, map(_test_problem, subtask.tests, finished)), "")


def _test_problem(program: str, finished: Finished) -> str:
    """The problem of a test program or of the gold that it rejects; "" if none."""
    line = "".join(program.splitlines()[max(0, finished.line - 1) : finished.line]).strip()
    reason = f"{finished.reason} ({line})" if line else finished.reason
    if finished.state == "broken":
        return f"its test is broken: {reason}; mend test_cases."
    if finished.state == "failed":
        return f"its test rejects its gold: {reason}; mend test_cases or sol_sql."
    return ""


def tied_orders(sql: str, columns: int) -> tuple[str, ...]:
    """The query with ties broken by its columns, ascending and descending.

    If both return the same rows in the same order, the query's order is fully defined.

    Args:
        sql: One PostgreSQL statement.
        columns: The number of columns of its result.

    Returns:
        Two queries; none if the statement is not a query or cannot be parsed.

    >>> tied_orders("SELECT a, b FROM t ORDER BY a LIMIT 3", 2)[1]
    'SELECT a, b FROM t ORDER BY a, 1 DESC, 2 DESC LIMIT 3'
    >>> tied_orders("DELETE FROM t", 0)
    ()
    """
    try:
        tree = syntax_tree(sql)
    except (SqlglotError, RecursionError):
        return ()
    if not isinstance(tree, exp.Query):
        return ()
    return tuple(_ordered(tree, columns, falling) for falling in (False, True))


def _ordered(query: exp.Query, columns: int, falling: bool) -> str:
    query = query.copy()
    order = query.args.get("order")
    keys = list(order.expressions) if order else []
    ties = [
        exp.Ordered(this=exp.Literal.number(column), desc=falling, nulls_first=falling)
        for column in range(1, columns + 1)
    ]
    query.set("order", exp.Order(expressions=[*keys, *ties]))
    return query.sql(dialect="postgres")
