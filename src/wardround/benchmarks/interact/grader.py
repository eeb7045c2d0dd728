"""Grades what an agent submits: by the result it gives, or by the state it leaves (G)."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeAlias

from wardround.benchmarks.interact.gold_results import (
    REWRITES,
    Golds,
    changes_by_itself,
)
from wardround.benchmarks.interact.tasks import InteractTask, Subtask
from wardround.benchmarks.interact.test_programs import Checked, check, program_processes
from wardround.benchmarks.kit.bounded_cache import BoundedCache
from wardround.ehr.database import QueryError, Workspace
from wardround.ehr.database.postgres.keywords import first_words
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import (
    AS_BEGUN,
    SECONDS,
    Ran,
    Start,
    read_submission,
    run_statements,
)
from wardround.scoring.soft_results import same_as_asked, same_softly
from wardround.scoring.sql_normalization import softened

log = logging.getLogger(__name__)

Mode: TypeAlias = Literal["paper", "strict"]
Outcome: TypeAlias = Literal["passed", "wrong", "empty", "error", "timeout", "nothing", "broken"]

MODES: tuple[Mode, ...] = ("paper", "strict")

_Key: TypeAlias = tuple[str, tuple[str, ...], Subtask, str, str]
_MOST_GRADES = 2_000
_REMEMBERED_LETTERS = 20_000

_NOTHING = "Nothing was submitted."
_EMPTY = "The statements give no rows."
_WRONG_RESULT = "The result is not what was wanted."
_WRONG_STATE = "What the statements leave in the database is not what was wanted."
_NO_GOLD = "its gold gives no row, and nothing equals an empty result"
_NO_TEST = "it changes the database and has no test_cases to judge that by"
_NOT_GRADED = "What was submitted could not be judged."


@dataclass(frozen=True, slots=True)
class Grade:
    """How a submission did.

    Attributes:
        passed: Whether it is what was wanted.
        outcome: `passed`; `wrong`, another result or state; `empty`, a question without a row for
            an answer; `error` and `timeout`, of one of the agent's statements; `nothing` was
            submitted; `broken`, the task's own gold or test, so that nothing can be said.
        reason: Why, for whoever may know the gold; it holds nothing of the database.
        feedback: Why, for the agent.
        statements: What has changed the database, if it passed: a follow-up begins with that.
    """

    passed: bool
    outcome: Outcome
    reason: str = ""
    feedback: str = ""
    statements: tuple[str, ...] = ()


class Grader:
    """Grades submissions and checks golds; any thread may use it, and all of a run share it.

    A grade by result or state is remembered: the same statements on the same state get the same
    grade in every trial.
    """

    def __init__(self) -> None:
        self._processes = program_processes()
        self._golds = Golds()
        self._grades = BoundedCache[_Key, Grade](_MOST_GRADES)
        self._told = False

    def grade(self, subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        """Judge what was submitted for a request; whatever it is, there is a grade.

        Programs that check the state judge it where the request has any; else its result is
        compared with the gold's. The published way leaves out of both what it takes for benign.
        In the strict way they are run as written, and order, doubled rows and decimals count where
        the task says so. Programs are the same in both.

        Args:
            subtask: The request.
            sql: What was submitted: a text of any number of statements.
            start: The database, in the state that the request begins with. It is in any state
                afterwards.
            mode: Which way results are compared.

        Raises:
            InfraError: The server failed.
        """
        key = (start.workspace.url, start.before, subtask, sql, "" if subtask.tests else mode)
        known = self._grades.get(key)
        if known is not None:
            return known
        grade = self._graded(subtask, sql, start, mode)
        if _can_be_kept(grade, start, sql):
            self._grades.keep(key, grade)
        return grade

    def check_gold(self, task: InteractTask, workspace: Workspace, seconds: float = SECONDS) -> str:
        """What is wrong with a task, or nothing: its golds are graded, the second after the first.

        Args:
            task: The task.
            workspace: A database of the task's, to be written to.
            seconds: The deadline of each statement.

        Raises:
            InfraError: The server failed.
        """
        start = Start(workspace, task.hidden.before, seconds)
        for name, subtask in _requests(task):
            try:
                start.restore()
            except QueryError as error:
                return f"its preprocess_sql fails ({error}); mend it or check the database."
            if wrong := self._wrong_with(subtask, start):
                return f"{name}{wrong}"
            start = replace(start, before=(*start.before, *_lasting(subtask, _gold(subtask))))
        return ""

    def close(self) -> None:
        """End the processes of test programs; closing twice is fine."""
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
        ran = run_statements(start.workspace, statements, start.seconds, REWRITES[mode])
        if ran.error is not None:
            return _failed(ran.error)
        if not ran.rows:
            return Grade(False, "empty", _EMPTY, _EMPTY)
        notes = " ".join(_unread(statements)) if mode == "paper" else ""
        if _same(gold, ran, subtask, mode):
            return Grade(True, "passed", notes, statements=_lasting(subtask, ran.done))
        return Grade(False, "wrong", f"{_WRONG_RESULT} {notes}".strip(), _WRONG_RESULT)

    def _checked(self, subtask: Subtask, statements: tuple[str, ...], start: Start) -> Grade:
        done: tuple[str, ...] = ()
        for checked in self._checks(subtask, statements, start):
            if checked.finished.state != "passed":
                return _rejected(checked)
            done = checked.done
        return Grade(True, "passed", statements=_lasting(subtask, done))

    def _checks(
        self, subtask: Subtask, statements: tuple[str, ...], start: Start
    ) -> Iterator[Checked]:
        """How each test program goes, on the state that the request begins with."""
        for place, program in enumerate(subtask.tests):
            if place:
                start.restore()
            checked = check(program, statements, _gold(subtask), start, self._processes)
            self._tell(checked.finished.gaps)
            yield checked

    def _tell(self, gaps: tuple[str, ...]) -> None:
        """Say once what cannot be kept from test programs here."""
        if gaps and not self._told:
            self._told = True
            log.warning("%s.", "; ".join(gaps).capitalize())

    def _wrong_with(self, subtask: Subtask, start: Start) -> str:
        """What is wrong with a request's gold, on the state that it begins with."""
        if subtask.tests:
            checks = self._checks(subtask, _gold(subtask), start)
            return next(filter(None, map(_wrong_with_test, subtask.tests, checks)), "")
        for mode in MODES:
            grade = self._compared(subtask, _gold(subtask), start, mode)
            if not grade.passed:
                return _wrong_with_gold(grade, mode)
            start.restore()
        return ""


def _can_be_kept(grade: Grade, start: Start, sql: str) -> bool:
    """Whether the same statements on the same state are judged the same."""
    judged = grade.outcome in ("passed", "wrong", "empty") and len(sql) <= _REMEMBERED_LETTERS
    return judged and not any(map(changes_by_itself, (*start.before, sql)))


def _gold(subtask: Subtask) -> tuple[str, ...]:
    return tuple(each for text in subtask.gold for each in split_statements(text))


def _requests(task: InteractTask) -> Iterator[tuple[str, Subtask]]:
    yield "", task.hidden.first
    if task.hidden.second is not None:
        yield "of its follow-up, ", task.hidden.second


def _lasting(subtask: Subtask, statements: tuple[str, ...]) -> tuple[str, ...]:
    """What leads to the state that stays for a follow-up: a question leaves nothing."""
    if subtask.category != "DM" or not statements:
        return ()
    return statements if all(map(_only_writes, statements)) else (*statements, *AS_BEGUN)


def _only_writes(statement: str) -> bool:
    """Whether a statement can have set nothing in its session; a doubtful one may have."""
    plain = first_words(statement, 1) in {("INSERT",), ("UPDATE",), ("DELETE",)}
    return plain and not re.search(r"set_config|u&", statement, re.IGNORECASE)


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
    """What is said of statements that were not softened."""
    return (found.problem for found in map(softened, statements) if found.problem)


def _failed(error: QueryError) -> Grade:
    outcome: Outcome = "timeout" if error.kind == "timeout" else "error"
    return Grade(False, outcome, str(error), str(error))


def _rejected(checked: Checked) -> Grade:
    if checked.error is not None:
        return _failed(checked.error)
    if checked.finished.state == "broken":
        return _broken(f"its test is broken: {checked.finished.reason}")
    return Grade(False, "wrong", f"its test fails: {checked.finished.reason}.", _WRONG_STATE)


def _broken(reason: str) -> Grade:
    """The task's own fault."""
    return Grade(False, "broken", f"{reason}.", _NOT_GRADED)


def _wrong_with_test(program: str, checked: Checked) -> str:
    """The fault of a test program or of the gold, as a check found it; "" if there is none."""
    ended = checked.finished
    line = "".join(program.splitlines()[max(0, ended.line - 1) : ended.line]).strip()
    reason = f"{ended.reason} ({line})" if line else ended.reason
    if checked.error is not None:
        return f"its gold fails ({checked.error}); mend sol_sql or check the database."
    if ended.state == "broken":
        return f"its test is broken: {reason}; mend test_cases."
    if ended.state == "failed":
        return f"its test rejects its gold: {reason}; mend test_cases or sol_sql."
    return ""


def _wrong_with_gold(grade: Grade, mode: Mode) -> str:
    if grade.outcome == "broken":
        return f"{grade.reason.rstrip('.')}; mend sol_sql or test_cases, or check the database."
    return f"its gold does not give the same twice in {mode} mode; make its order and ties certain."
