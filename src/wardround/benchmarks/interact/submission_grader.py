"""Grades submissions by their result, or by the state of the database after them (G)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.benchmarks.interact.declaration import Mode
from wardround.benchmarks.interact.gold.results import (
    GoldResults,
    changes_by_time,
    gold_of,
    rewrite,
)
from wardround.benchmarks.interact.gold.test_programs import ENTRY, check, check_afterwards
from wardround.benchmarks.interact.tasks import Subtask
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.benchmarks.kit.evidence import difference
from wardround.ehr.database import QueryError
from wardround.ehr.database.postgres.statements import (
    RESET_SETTINGS,
    Start,
    SubmissionOutcome,
    lasting,
    read_submission,
    run_statements,
)
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.test_programs.run import Finished
from wardround.scoring.soft_results import same_results
from wardround.scoring.sql_normalization import softened

log = logging.getLogger(__name__)

Outcome: TypeAlias = Literal["passed", "wrong", "empty", "error", "timeout", "nothing", "broken"]

_Key: TypeAlias = tuple[str, tuple[str, ...], Subtask, str, str]
_MOST_GRADES = 2_000
_MOST_CACHED_LETTERS = 20_000

_NOTHING = "Nothing was submitted."
_EMPTY = "The statements give no rows."
_WRONG_RESULT = "The result is not what was wanted."
_WRONG_STATE = "What the statements leave in the database is not what was wanted."
_NO_GOLD = "its gold gives no row, and nothing equals an empty result"
_NO_TEST = "it changes the database and has no test_cases to judge that by"
_NOT_GRADED = "What was submitted could not be judged."
_TEST_FAILS = "its test fails"
_FAULTS = ("its gold", "its test is broken", _NO_TEST, "what is run before")  # of a task
_FINDINGS = (_NOTHING, _EMPTY, _WRONG_RESULT, _WRONG_STATE, _NOT_GRADED, _TEST_FAILS, *_FAULTS)


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of a submission.

    Attributes:
        passed: True if the submission carries out the request.
        outcome: `passed`; `wrong`, a different result or state; `empty`, no row in the result;
            `error` and `timeout`, of an agent's statement; `nothing`, an empty submission;
            `broken`, a fault of the task's gold or test.
        reason: the reason for reports, which may reveal gold but holds no value of the database.
        feedback: the reason as the agent reads it.
        statements: if passed, the statements that changed the database, for the follow-up.
        evidence: both results in short, if they were compared and differ; for reports.
    """

    passed: bool
    outcome: Outcome
    reason: str = ""
    feedback: str = ""
    statements: tuple[str, ...] = ()
    evidence: str = ""


def is_finding(reason: str) -> bool:
    """True if a grade's reason is the judge's; the engine gives the reason of a failed statement.

    >>> is_finding(_EMPTY), is_finding('relation "visits" does not exist')
    (True, False)
    """
    return not reason or reason.startswith(_FINDINGS)


class Grader:
    """A thread-safe grader of submissions, shared by all trials of a run.

    Grades are cached: the same statements on the same state get the same grade in every trial.
    """

    def __init__(self) -> None:
        self._processes = ForkServer(ENTRY)
        self._golds = GoldResults()
        self._grades = BoundedCache[_Key, Grade](_MOST_GRADES)
        self._warned = False

    def grade(self, subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        """Grades a submission by the request's test programs or, without any, by its result.

        Mode "paper" normalizes the statements of submission and gold before comparing results.
        Mode "strict" runs them as written; order, duplicate rows and decimals count as the
        task's conditions say. A test program that returns False or 0 fails the submission in mode
        "strict" alone; in "paper" only an exception does.

        Args:
            subtask: the request.
            sql: the submitted text, of any number of statements.
            start: the database, in the state before the submission; its state afterwards is
                undefined.
            mode: how results are compared.

        Raises:
            InfraError: the server failed.
        """
        key = (start.workspace.url, start.before, subtask, sql, mode)
        return self._grades.computed(
            key,
            lambda: self._graded(subtask, sql, start, mode),
            lambda grade: _is_cacheable(grade, start, sql),
        )

    def close(self) -> None:
        """Ends the processes of test programs; may be called twice."""
        self._processes.close()

    def compare(
        self, subtask: Subtask, statements: tuple[str, ...], start: Start, mode: Mode
    ) -> Grade:
        """Grades statements by comparing their result with the gold's.

        Raises:
            QueryError: the database cannot be restored.
        """
        gold = self._golds.of(gold_of(subtask), start, mode)
        if not gold.rows:
            missing = _NO_TEST if subtask.category == "DM" else _NO_GOLD
            return _broken(f"its gold fails ({gold.error})" if gold.error else missing)
        ran = _ran(statements, start, mode)
        if ran.error is not None:
            return _failed(ran.error)
        if not ran.rows:
            return Grade(False, "empty", _EMPTY, _EMPTY, evidence=difference(gold.rows, []))
        problems = (softened(each).problem for each in statements if mode == "paper")
        notes = " ".join(filter(None, problems))
        if same_results(gold.rows, ran.rows, subtask.conditions, strict=mode == "strict"):
            return Grade(True, "passed", notes, statements=lasting_of(subtask, ran.done))
        reason = f"{_WRONG_RESULT} {notes}".strip()
        evidence = difference(gold.rows, ran.rows)
        return Grade(False, "wrong", reason, _WRONG_RESULT, evidence=evidence)

    def run_tests(
        self,
        subtask: Subtask,
        statements: tuple[str, ...],
        start: Start,
        ran: SubmissionOutcome,
        mode: Mode,
    ) -> Iterator[Finished]:
        """Runs the test programs of a request whose submission has just been run.

        Mode "paper" runs them one after the other on the state that the submission has left, as
        published, so that a program that runs the submission runs it a second time. Mode "strict"
        runs each on the state before the submission, and the submission once.

        Args:
            subtask: the request.
            statements: the submission's.
            start: the database, in the state after the submission.
            ran: the submission's run; its last result is what programs see as the agent's.
            mode: the order.
        """
        result = ran.last.rows if ran.last else None
        if mode == "paper":
            run_statements(start.workspace, RESET_SETTINGS, start.seconds)
        for program in subtask.tests:
            if mode == "strict":
                start.restore()
            run = check if mode == "strict" else check_afterwards
            finished = run(program, statements, gold_of(subtask), start, self._processes, result)
            if finished.gaps and not self._warned:  # limits that the platform cannot enforce
                self._warned = True
                log.warning("%s.", "; ".join(finished.gaps).capitalize())
            yield finished

    def _graded(self, subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        try:
            statements = read_submission(sql)
        except QueryError as error:
            return Grade(False, "error", str(error), str(error))
        if not statements:
            return Grade(False, "nothing", _NOTHING, _NOTHING)
        try:
            if is_tested(subtask, mode):
                return self._tested(subtask, statements, start, mode)
            return self.compare(subtask, statements, start, mode)
        except QueryError as error:
            return _broken(f"what is run before the request fails ({error})")

    def _tested(
        self, subtask: Subtask, statements: tuple[str, ...], start: Start, mode: Mode
    ) -> Grade:
        ran = run_statements(start.workspace, statements, start.seconds)
        if ran.error is not None:
            return _failed(ran.error)
        for finished in self.run_tests(subtask, statements, start, ran, mode):
            ignored = mode == "paper" and finished.returned
            if finished.state != "passed" and not ignored:
                return _rejected(subtask, finished)
        return Grade(True, "passed", statements=lasting_of(subtask, statements))


def is_tested(subtask: Subtask, mode: Mode) -> bool:
    """True if test programs grade a request; as published, those of a question are not read."""
    return bool(subtask.tests) and (mode == "strict" or subtask.category == "DM")


def lasting_of(subtask: Subtask, statements: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the statements whose effects a follow-up starts from; none for a question."""
    return lasting(statements) if subtask.category == "DM" and statements else ()


def _ran(statements: tuple[str, ...], start: Start, mode: Mode) -> SubmissionOutcome:
    """Runs a submission for comparison.

    In mode "paper", as published, the statements must first run as written; the result that
    counts is that of the normalized statements.
    """
    ran = run_statements(start.workspace, statements, start.seconds)
    if ran.error is not None or tuple(map(rewrite(mode), statements)) == statements:
        return ran
    start.restore()
    return run_statements(start.workspace, statements, start.seconds, rewrite(mode))


def _is_cacheable(grade: Grade, start: Start, sql: str) -> bool:
    """True if the grade is deterministic and the submission short."""
    judged = grade.outcome in ("passed", "wrong", "empty") and len(sql) <= _MOST_CACHED_LETTERS
    return judged and not changes_by_time(start, sql)


def _failed(error: QueryError) -> Grade:
    outcome: Outcome = "timeout" if error.kind == "timeout" else "error"
    return Grade(False, outcome, str(error), str(error))


def _rejected(subtask: Subtask, finished: Finished) -> Grade:
    if finished.state == "broken":
        return _broken(f"its test is broken: {finished.reason}")
    feedback = _WRONG_STATE if subtask.category == "DM" else _WRONG_RESULT
    return Grade(False, "wrong", f"{_TEST_FAILS}: {finished.reason}.", feedback)


def _broken(reason: str) -> Grade:
    """The grade for a task whose own gold or test fails."""
    return Grade(False, "broken", f"{reason}.", _NOT_GRADED)
