"""Grades what an agent submits: by the result it gives, or by the state it leaves (G)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from wardround.benchmarks.interact.gold_results import (
    REWRITES,
    Golds,
    has_ties,
)
from wardround.benchmarks.interact.tasks import InteractTask, Subtask
from wardround.benchmarks.interact.test_programs import check, program_processes
from wardround.benchmarks.kit.bounded_cache import BoundedCache
from wardround.core.logs import logger
from wardround.ehr.database import QueryError, Workspace
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import (
    SECONDS,
    Ran,
    Start,
    lasting,
    read_submission,
    run_statements,
)
from wardround.ehr.database.postgres.volatility import changes_by_itself
from wardround.sandbox.test_programs.run import Finished
from wardround.scoring.soft_results import same_as_asked, same_softly
from wardround.scoring.sql_normalization import softened

log = logger(__name__)

Mode: TypeAlias = Literal["paper", "strict"]
Outcome: TypeAlias = Literal["passed", "wrong", "empty", "error", "timeout", "nothing", "broken"]

MODES: tuple[Mode, ...] = ("paper", "strict")

_Key: TypeAlias = tuple[str, tuple[str, ...], Subtask, str, str]
_MOST_GRADES = 2_000
_MOST_CACHED_LETTERS = 20_000

_NOTHING = "Nothing was submitted."
_EMPTY = "The statements give no rows."
_WRONG_RESULT = "The result is not what was wanted."
_WRONG_STATE = "What the statements leave in the database is not what was wanted."
_NO_GOLD = "its gold gives no row, and nothing equals an empty result"
_NO_TEST = "it changes the database and has no test_cases to judge that by"
_NO_ORDER = "its gold's rows come in no fixed order, which counts; break the ties of its ORDER BY."
_NOT_GRADED = "What was submitted could not be judged."


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of a submission.

    Attributes:
        passed: whether it does what was asked.
        outcome: `passed`; `wrong`, another result or state; `empty`, a question without a row for
            an answer; `error` and `timeout`, of one of the agent's statements; `nothing` was
            submitted; `broken`, a fault of the task's own gold or test.
        reason: why, for those who may know the gold; it holds nothing of the database.
        feedback: why, for the agent.
        statements: what changed the database, if it passed: a follow-up begins with that.
    """

    passed: bool
    outcome: Outcome
    reason: str = ""
    feedback: str = ""
    statements: tuple[str, ...] = ()


class Grader:
    """Grades submissions and checks golds; any thread may use it, and all of a run share it.

    Grades are cached: the same statements on the same state get the same grade in every trial.
    """

    def __init__(self) -> None:
        self._processes = program_processes()
        self._golds = Golds()
        self._grades = BoundedCache[_Key, Grade](_MOST_GRADES)
        self._warned = False

    def grade(self, subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        """Grades a submission, whatever it is.

        Test programs check the state if the request has any; else the result is compared with the
        gold's. In the published mode both are normalised first. In the strict mode they run as
        written, and order, duplicate rows and decimals count where the task says so. Programs are
        the same in both.

        Args:
            subtask: the request.
            sql: what was submitted: a text of any number of statements.
            start: the database, in the state that the request begins with; it is left in any
                state.
            mode: how results are compared.

        Raises:
            InfraError: the server failed.
        """
        key = (start.workspace.url, start.before, subtask, sql, "" if subtask.tests else mode)
        known = self._grades.get(key)
        if known is not None:
            return known
        grade = self._graded(subtask, sql, start, mode)
        if _is_cacheable(grade, start, sql):
            self._grades.keep(key, grade)
        return grade

    def check_gold(self, task: InteractTask, workspace: Workspace, seconds: float = SECONDS) -> str:
        """Grades a task's golds, the second after the first, and returns what is wrong, or "".

        Args:
            task: the task.
            workspace: a database of the task's, to be written to.
            seconds: the deadline of each statement.

        Raises:
            InfraError: the server failed.
        """
        start = Start(workspace, task.hidden.before, seconds)
        for name, subtask in _requests(task):
            try:
                start.restore()
            except QueryError as error:
                return f"{name}: its preprocess_sql fails ({error}); mend it or check the database."
            if wrong := self._wrong_with(subtask, start):
                return f"{name}: {wrong}"
            start = replace(start, before=(*start.before, *_lasting(subtask, _gold(subtask))))
        return ""

    def close(self) -> None:
        """Ends the processes of test programs; closing twice is fine."""
        self._processes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _graded(self, subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        try:
            statements = read_submission(sql)
        except QueryError as error:
            return Grade(False, "error", str(error), str(error))
        if not statements:
            return Grade(False, "nothing", _NOTHING, _NOTHING)
        try:
            if subtask.tests:
                return self._checked(subtask, statements, start)
            return self._compared(subtask, statements, start, mode)
        except QueryError as error:
            return _broken(f"what is run before the request fails ({error})")

    def _compared(
        self, subtask: Subtask, statements: tuple[str, ...], start: Start, mode: Mode
    ) -> Grade:
        gold = self._golds.of(_gold(subtask), start, mode)
        if not gold.rows:
            missing = _NO_TEST if subtask.category == "DM" else _NO_GOLD
            return _broken(f"its gold fails ({gold.error})" if gold.error else missing)
        ran = _ran(statements, start, mode)
        if ran.error is not None:
            return _failed(ran.error)
        if not ran.rows:
            return Grade(False, "empty", _EMPTY, _EMPTY)
        notes = " ".join(_unread(statements)) if mode == "paper" else ""
        if _same(gold, ran, subtask, mode):
            return Grade(True, "passed", notes, statements=_lasting(subtask, ran.done))
        return Grade(False, "wrong", f"{_WRONG_RESULT} {notes}".strip(), _WRONG_RESULT)

    def _checked(self, subtask: Subtask, statements: tuple[str, ...], start: Start) -> Grade:
        ran = run_statements(start.workspace, statements, start.seconds)
        if ran.error is not None:
            return _failed(ran.error)
        for finished in self._finished(subtask, statements, start, ran):
            if finished.state != "passed":
                return _rejected(subtask, finished)
        return Grade(True, "passed", statements=_lasting(subtask, statements))

    def _finished(
        self, subtask: Subtask, statements: tuple[str, ...], start: Start, ran: Ran
    ) -> Iterator[Finished]:
        """How each test program ends, on the state that the request begins with."""
        result = ran.last.rows if ran.last else None
        for program in subtask.tests:
            start.restore()
            found = check(program, statements, _gold(subtask), start, self._processes, result)
            self._warn(found.gaps)
            yield found

    def _warn(self, gaps: tuple[str, ...]) -> None:
        """Warns once of the limits of test programs that this system cannot enforce."""
        if gaps and not self._warned:
            self._warned = True
            log.warning("%s.", "; ".join(gaps).capitalize())

    def _wrong_with(self, subtask: Subtask, start: Start) -> str:
        """The fault of a request's gold, on the state that it begins with; "" if there is none."""
        gold = _gold(subtask)
        if subtask.tests:
            return self._wrong_with_tests(subtask, gold, start)
        for mode in MODES:
            grade = self._compared(subtask, gold, start, mode)
            if not grade.passed:
                return _wrong_with_gold(grade, mode)
            start.restore()
        return _NO_ORDER if subtask.conditions.order and has_ties(gold, start) else ""

    def _wrong_with_tests(self, subtask: Subtask, gold: tuple[str, ...], start: Start) -> str:
        ran = run_statements(start.workspace, gold, start.seconds)
        if ran.error is not None:
            return f"its gold fails ({ran.error}); mend sol_sql or check the database."
        finished = self._finished(subtask, gold, start, ran)
        return next(filter(None, map(_wrong_with_test, subtask.tests, finished)), "")


def _ran(statements: tuple[str, ...], start: Start, mode: Mode) -> Ran:
    """The result of a submission that is compared.

    As published, the statements have to run as they were written; what is compared is then the
    result of what is left of them after normalisation.
    """
    ran = run_statements(start.workspace, statements, start.seconds)
    rewrite = REWRITES[mode]
    if ran.error is not None or tuple(map(rewrite, statements)) == statements:
        return ran
    start.restore()
    return run_statements(start.workspace, statements, start.seconds, rewrite)


def _is_cacheable(grade: Grade, start: Start, sql: str) -> bool:
    """True if the same statements on the same state always get the same grade."""
    judged = grade.outcome in ("passed", "wrong", "empty") and len(sql) <= _MOST_CACHED_LETTERS
    return judged and not any(map(changes_by_itself, (*start.before, sql)))


def _gold(subtask: Subtask) -> tuple[str, ...]:
    return tuple(each for text in subtask.gold for each in split_statements(text))


def _requests(task: InteractTask) -> Iterator[tuple[str, Subtask]]:
    yield "first request", task.hidden.first
    if task.hidden.second is not None:
        yield "follow-up", task.hidden.second


def _lasting(subtask: Subtask, statements: tuple[str, ...]) -> tuple[str, ...]:
    """The statements whose effects a follow-up finds: a question leaves none."""
    if subtask.category != "DM" or not statements:
        return ()
    return lasting(statements)


def _same(gold: Ran, ran: Ran, subtask: Subtask, mode: Mode) -> bool:
    asked = subtask.conditions
    if mode == "paper":
        return same_softly(gold.rows, ran.rows, order=asked.order)
    return same_as_asked(
        gold.rows,
        ran.rows,
        order=asked.order,
        distinct=asked.distinct,
        decimals=asked.decimals,
    )


def _unread(statements: tuple[str, ...]) -> Iterator[str]:
    """Notes on statements that could not be normalised."""
    return (found.problem for found in map(softened, statements) if found.problem)


def _failed(error: QueryError) -> Grade:
    outcome: Outcome = "timeout" if error.kind == "timeout" else "error"
    return Grade(False, outcome, str(error), str(error))


def _rejected(subtask: Subtask, finished: Finished) -> Grade:
    if finished.state == "broken":
        return _broken(f"its test is broken: {finished.reason}")
    feedback = _WRONG_STATE if subtask.category == "DM" else _WRONG_RESULT
    return Grade(False, "wrong", f"its test fails: {finished.reason}.", feedback)


def _broken(reason: str) -> Grade:
    """The grade where the task itself is at fault."""
    return Grade(False, "broken", f"{reason}.", _NOT_GRADED)


def _wrong_with_test(program: str, finished: Finished) -> str:
    """The fault of a test program or of the gold, as they found each other; "" if none."""
    line = "".join(program.splitlines()[max(0, finished.line - 1) : finished.line]).strip()
    reason = f"{finished.reason} ({line})" if line else finished.reason
    if finished.state == "broken":
        return f"its test is broken: {reason}; mend test_cases."
    if finished.state == "failed":
        return f"its test rejects its gold: {reason}; mend test_cases or sol_sql."
    return ""


def _wrong_with_gold(grade: Grade, mode: Mode) -> str:
    if grade.outcome == "broken":
        return f"{grade.reason.rstrip('.')}; mend sol_sql or test_cases, or check the database."
    return f"its gold does not give the same twice in {mode} mode; make its order and ties certain."
