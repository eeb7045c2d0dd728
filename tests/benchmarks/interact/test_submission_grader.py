"""Grades of submissions, with cases in `grading.toml`; checks of golds; follow-ups."""

import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.cases import one_in
from wardround.benchmarks.interact.declaration import MODES
from wardround.benchmarks.interact.gold.check import check_gold
from wardround.benchmarks.interact.submission_grader import Grade, Grader
from wardround.benchmarks.interact.tasks import Category, InteractHidden, InteractPublic, Subtask
from wardround.core.task import Task
from wardround.ehr.database import Database
from wardround.ehr.database.postgres.statements import MOST_STATEMENTS, RESET_SESSION, Start
from wardround.ehr.database.postgres.values import Values
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver
from wardround.sandbox.test_programs.run import Finished
from wardround.scoring.soft_results import Conditions

_CASES = tomllib.loads((Path(__file__).parent / "grading.toml").read_text("utf-8"))
_PASSES = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    "


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with closing(Grader()) as opened:
        yield opened


def _subtask(case: dict[str, Any], category: Category) -> Subtask:
    conditions = {name: case[name] for name in ("order", "distinct", "decimals") if name in case}
    tests = tuple(case.get("tests", ()))
    return Subtask("", category, tuple(case["gold"]), tests, Conditions(**conditions))


def _submissions() -> Iterator[tuple[str, Subtask, str, str, str]]:
    for kind, category in (("questions", "BI"), ("changes", "DM")):
        for case in _CASES[kind]:
            subtask = _subtask(case, "BI" if category == "BI" else "DM")
            for sql, paper, strict in case["submitted"]:
                yield case["name"], subtask, sql, paper, strict


@pytest.mark.parametrize(
    ("name", "subtask", "sql", "paper", "strict"),
    one_in(3, [pytest.param(*case, id=f"{case[0]}: {case[2][:40]}") for case in _submissions()]),
)
def test_outcomes_match_the_file(
    name: str, subtask: Subtask, sql: str, paper: str, strict: str, start: Start, grader: Grader
) -> None:
    start = replace(start, seconds=0.4 if "timeout" in (paper, strict) else 20)
    for mode, outcome in zip(MODES, (paper, strict), strict=True):
        verdict = grader.grade(subtask, sql, start, mode)
        start.restore()
        assert (verdict.outcome, verdict.passed) == (outcome, outcome == "passed"), verdict
        assert bool(verdict.feedback) != verdict.passed
        assert not any(gold in verdict.feedback for gold in subtask.gold if gold not in sql)


def test_feedback_quotes_the_errors_of_the_database(start: Start, grader: Grader) -> None:
    subtask = Subtask("", "BI", ("SELECT secret FROM (SELECT 7 AS secret) AS q",))
    verdict = grader.grade(subtask, "SELECT nothing FROM wards", start, "paper")
    assert verdict.feedback == 'Column "nothing" does not exist.'
    start.restore()
    wrong = grader.grade(subtask, "SELECT 8", start, "paper")
    assert wrong.feedback == "The result is not what was wanted."


def test_reason_names_statements_that_were_not_normalized(start: Start, grader: Grader) -> None:
    subtask = Subtask("", "BI", ("SELECT 1.5",))
    deep = "SELECT ROUND(" + "(" * 300 + "1.5" + ")" * 300 + ", 1)"
    verdict = grader.grade(subtask, deep, start, "paper")
    assert verdict.passed
    assert "run as it is written" in verdict.reason


def test_oversized_submissions_are_refused_at_once(start: Start, grader: Grader) -> None:
    subtask = Subtask("", "BI", ("SELECT 1",))
    began = monotonic()
    for sql in ("x" * 10_000_000, "SELECT 1;" * (MOST_STATEMENTS + 1), f"SELECT '{'x' * 60_000}'"):
        verdict = grader.grade(subtask, sql, start, "paper")
        assert verdict.outcome == "error"
        assert "submi" in verdict.feedback or "shorter" in verdict.feedback
        assert len(verdict.feedback) < 200
    assert monotonic() - began < 20


def test_change_persists_and_query_does_not(start: Start, grader: Grader) -> None:
    test = _PASSES + "return execute_queries(pred_sqls, db_name, conn)[1] is False"
    change = Subtask("", "DM", ("DELETE FROM stays",), (test,))
    done = grader.grade(change, "DELETE FROM stays; SELECT 1;", start, "paper")
    assert done.statements == ("DELETE FROM stays", "SELECT 1", *RESET_SESSION)
    later = replace(start, before=done.statements)
    later.restore()
    subtask = Subtask("", "BI", ("SELECT COUNT(*) FROM stays",))
    answered = grader.grade(subtask, "CREATE TABLE t (a int); SELECT 0", later, "paper")
    assert (answered.passed, answered.statements) == (True, ())


def test_gold_results_depend_on_the_initial_state(start: Start, grader: Grader) -> None:
    subtask = Subtask("", "BI", ("SELECT COUNT(*) FROM stays",))
    for before, answer in ((), 20), (("DELETE FROM stays WHERE stay > 5",), 5), ((), 20):
        state = replace(start, before=before)
        state.restore()
        assert grader.grade(subtask, f"SELECT {answer}", state, "paper").passed
        state.restore()
        assert not grader.grade(subtask, "SELECT 21", state, "paper").passed


def test_volatile_golds_are_run_again(start: Start, grader: Grader) -> None:
    subtask = Subtask("", "BI", ("SELECT RANDOM() * 1e9",))
    start.restore()
    verdict = grader.grade(subtask, "SELECT RANDOM() * 1e9", start, "strict")
    assert verdict.outcome == "wrong"


def test_grades_are_cached_unless_statements_are_volatile(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements_run: list[str] = []
    values = PostgresWorkspaceDriver.values

    def counted(self: PostgresWorkspaceDriver, sql: str, **how: Any) -> Values:
        statements_run.append(sql)
        return values(self, sql, **how)

    monkeypatch.setattr(PostgresWorkspaceDriver, "values", counted)
    subtask = Subtask("", "BI", ("SELECT 1",))
    with closing(Grader()) as grader:
        for _ in range(2):
            start.restore()
            assert grader.grade(subtask, "SELECT 2 - 1", start, "paper").passed
        assert statements_run.count("SELECT 2 - 1") == 1
        assert grader.grade(subtask, "SELECT 2 - 1", start, "strict").passed
        elsewhere = replace(start, before=("DELETE FROM stays",))
        assert grader.grade(subtask, "SELECT 2 - 1", elsewhere, "paper").passed
        assert statements_run.count("SELECT 2 - 1") == 3
        for _ in range(2):
            grader.grade(subtask, "SELECT NOW()", start, "paper")
            grader.grade(subtask, "SELECT 1 / 0", start, "paper")
        assert statements_run.count("SELECT NOW()") == statements_run.count("SELECT 1 / 0") == 2


def test_concurrent_trials_are_isolated(ward_database: Database, grader: Grader) -> None:
    body = "execute_queries(pred_sqls, db_name, conn)\n    "
    body += "found = execute_queries('SELECT ward FROM wards WHERE beds > 99', db_name, conn)[0]\n"
    subtask = Subtask("", "DM", ("",), (f"{_PASSES}{body}    assert len(found) == 1, found",))

    def trial(number: int) -> Grade:
        with closing(ward_database.writable()) as workspace:
            sql = f"INSERT INTO wards VALUES ('new {number}', {100 + number})"
            return grader.grade(subtask, sql, Start(workspace), "paper")

    with ThreadPoolExecutor(8) as threads:
        assert all(verdict.passed for verdict in threads.map(trial, range(32)))


_RIGHT = Subtask("", "BI", ("SELECT ward FROM wards",))
_CHANGE = Subtask(
    "",
    "DM",
    ("CREATE TABLE new (a int); INSERT INTO new VALUES (1)",),
    (_PASSES + "assert execute_queries('SELECT a FROM new', db_name, conn)[0] == [(1,)]",),
)


@pytest.mark.parametrize(
    ("hidden", "fault"),
    [
        ({}, ""),
        ({"first": _CHANGE, "second": replace(_RIGHT, gold=("SELECT a FROM new",))}, ""),
        ({"second": replace(_RIGHT, gold=("SELECT a FROM new",))}, "follow-up: its gold fails"),
        (
            {"before": ("INSERT INTO nothing VALUES (1)",)},
            "first request: its preprocess_sql fails (Relation",
        ),
        ({"before": ("CREATE TABLE u (a int); DROP TABLE u",)}, ""),
        (
            {"first": replace(_RIGHT, gold=("SELECT 1 / 0",))},
            "first request: its gold fails (Division by zero.)",
        ),
        ({"first": replace(_RIGHT, gold=("DELETE FROM stays",))}, "its gold gives no row"),
        (
            {"first": replace(_RIGHT, gold=("SELECT RANDOM() * 1e9",))},
            "the same twice in paper mode",
        ),
        ({"first": replace(_CHANGE, gold=("DROP TABLE nothing",))}, "its gold fails (Table"),
        (
            {"first": replace(_CHANGE, tests=(f"{_PASSES}assert False",))},
            "its test rejects its gold: it ends with AssertionError in line 2 (assert False)",
        ),
        ({"first": replace(_CHANGE, tests=("x = = 1",))}, "its test is broken: it is not a test"),
        ({"first": replace(_CHANGE, tests=(f"{_PASSES}open('x')",))}, "it tried to open a file"),
    ],
)
def test_check_gold_names_the_fault_of_a_task(
    hidden: dict[str, Any], fault: str, start: Start, grader: Grader, ward_database: Database
) -> None:
    fields = {"clear": "", "first": _RIGHT, "second": None, "ambiguities": (), **hidden}
    task = Task("one", InteractPublic("", "ward"), InteractHidden(**fields))
    problem = check_gold(task, start.workspace, grader, 20)
    assert fault in problem
    assert bool(problem) == bool(fault)
    assert "\n" not in problem
    start.workspace.reset()
    assert start.workspace.fingerprint() == ward_database.fingerprint()


_ORDERS = [
    ("SELECT ward FROM wards ORDER BY beds", True),
    ("SELECT ward FROM stays ORDER BY began", True),
    ("SELECT stay, ward FROM stays ORDER BY ward, stay", True),
    ("SELECT ward FROM stays ORDER BY ward", True),
    ("SELECT ward, COUNT(*) FROM stays GROUP BY 1 ORDER BY COUNT(*), ward", True),
    ("SELECT MAX(beds) FROM wards", True),
    ("SELECT DISTINCT ward FROM stays ORDER BY ward", True),
    ("SELECT 1 AS a UNION SELECT 2 ORDER BY a", True),
    ("SELECT ward FROM wards", False),
    ("SELECT stay FROM stays ORDER BY ward", False),
    ("SELECT ward, COUNT(*) FROM stays GROUP BY 1 ORDER BY COUNT(*)", False),
    ("SELECT stay FROM stays ORDER BY ward LIMIT 3", False),
    ("WITH q AS (SELECT ward FROM wards ORDER BY ward) SELECT * FROM q", False),
    ("SELECT 1 AS a UNION SELECT 2", False),
    ("SELECT DISTINCT ward, stay FROM stays ORDER BY ward", False),
]


@pytest.mark.parametrize(("gold", "fixed"), _ORDERS)
def test_check_gold_refuses_tied_rows_where_order_counts(
    gold: str, fixed: bool, start: Start, grader: Grader
) -> None:
    subtask = Subtask("", "BI", (gold,), conditions=Conditions(order=True))
    hidden = InteractHidden("", _RIGHT, subtask, ())
    problem = check_gold(
        Task("one", InteractPublic("", "ward"), hidden), start.workspace, grader, 20
    )
    assert problem.startswith("" if fixed else "follow-up: its gold's rows come in no fixed order")
    assert bool(problem) != fixed
    free = replace(hidden, second=replace(subtask, conditions=Conditions()))
    task = Task("one", InteractPublic("", "ward"), free)
    assert check_gold(task, start.workspace, grader, 20) == ""


@pytest.mark.parametrize("category", ["BI", "DM"])
def test_feedback_of_a_test_program_depends_on_the_category(
    category: Category, start: Start, grader: Grader
) -> None:
    subtask = Subtask("", category, ("SELECT 1",), (_PASSES + "assert False",))
    feedback = grader.grade(subtask, "SELECT 2", start, "paper").feedback
    assert ("leave in the database" in feedback) == (category == "DM")
    assert bool(feedback)


_SOFTENING = "for clean in (remove_comments, remove_distinct, remove_round):\n"
_SOFTENING += "        pred_sqls = clean(pred_sqls)\n"
_SOFTENING += "    return not execute_queries(pred_sqls, db_name, conn)[1]"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ROUND(1.5::float8, 1)",
        "SELECT ROUND('1.5'::text, 1)",
        "SELECT DISTINCT ward FROM wards ORDER BY beds",
        "SELECT 1; SELECT ROUND(AVG(fee)::real, 2) FROM stays -- rounded",
    ],
)
def test_submission_must_run_as_written(sql: str, start: Start, grader: Grader) -> None:
    plain = Subtask("", "BI", ("SELECT 1.5",))
    programs = replace(plain, tests=(_PASSES + _SOFTENING,))
    for subtask in (plain, programs):
        for mode in MODES:
            start.restore()
            assert grader.grade(subtask, sql, start, mode).outcome == "error"


def test_submission_is_compared_on_the_state_before_it(start: Start, grader: Grader) -> None:
    counted = Subtask("", "BI", ("SELECT 4",))
    sql = "INSERT INTO wards VALUES ('Eyes', 7); SELECT ROUND(COUNT(*), 0) FROM wards"
    assert grader.grade(counted, sql, start, "paper").passed


_COUNTED = """def test_case(pred_sqls, sol_sqls, db_name, conn):
    execute_queries(pred_sqls, db_name, conn)
    assert execute_queries("SELECT COUNT(*) FROM wards", db_name, conn)[0] == [(3,)]
    assert execute_queries("SELECT COUNT(*) FROM stays", db_name, conn)[0] == [(0,)]
"""
_SHADOWS = [
    "CREATE TEMP TABLE stays (stay int)",
    "CREATE TEMP VIEW stays AS SELECT 1 AS stay WHERE false",
    "SET search_path = pg_temp, public; CREATE TABLE pg_temp.stays (stay int)",
    "COMMIT; CREATE TEMP TABLE stays (stay int)",
    "CREATE SCHEMA evil; CREATE TABLE evil.stays (stay int); SET search_path = evil, public",
]


@pytest.mark.parametrize("sql", _SHADOWS)
def test_session_settings_do_not_deceive_tests(sql: str, start: Start, grader: Grader) -> None:
    change = Subtask("", "DM", ("DELETE FROM stays",), (_COUNTED,))
    assert grader.grade(change, "DELETE FROM stays", start, "paper").passed
    start.restore()
    assert grader.grade(change, sql, start, "paper").outcome == "wrong"


_HIDDEN_SETTINGS = [
    "INSERT INTO wards SELECT set_config('search_path', 'pg_catalog', false), 1",
    "INSERT INTO wards SELECT U&\"set\\005fconfig\"('search_path', 'pg_catalog', false), 1",
]


@pytest.mark.parametrize("sql", [*_SHADOWS, *_HIDDEN_SETTINGS])
def test_session_settings_do_not_reach_the_follow_up(
    sql: str, start: Start, grader: Grader
) -> None:
    test = _PASSES + "return execute_queries(pred_sqls, db_name, conn)[1] is False"
    change = Subtask("", "DM", ("SELECT 1",), (test,))
    done = grader.grade(change, sql, start, "paper")
    later = replace(start, before=done.statements)
    later.restore()
    subtask = Subtask("", "BI", ("SELECT COUNT(*) FROM stays",))
    assert grader.grade(subtask, "SELECT 0", later, "paper").outcome == "wrong"
    later.restore()
    assert grader.grade(subtask, "SELECT 20", later, "paper").passed


def test_programs_run_the_gold_before_the_agents_statements(start: Start, grader: Grader) -> None:
    test = _PASSES + "assert ex_base(pred_sqls, sol_sqls, db_name, conn)"
    subtask = Subtask("", "BI", ("SELECT COUNT(*) FROM stays",), (test,))
    assert not grader.grade(subtask, "DELETE FROM stays; SELECT 0", start, "paper").passed
    start.restore()
    assert grader.grade(subtask, "SELECT 20", start, "paper").passed


def test_limits_that_cannot_be_enforced_are_reported_once(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gaps = ("system calls are not filtered", "memory is not limited")
    finished = Finished("passed", "", gaps)
    checked = "wardround.benchmarks.interact.submission_grader.check"
    monkeypatch.setattr(checked, lambda *_: finished)
    subtask = Subtask("", "DM", ("SELECT 1",), (_PASSES + "pass", _PASSES + "pass"), Conditions())
    with closing(Grader()) as fresh:
        for _ in range(2):
            fresh.grade(subtask, "SELECT 1", start, "strict")
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warnings == ["System calls are not filtered; memory is not limited."]


def test_enforced_limits_are_not_reported(
    start: Start, grader: Grader, caplog: pytest.LogCaptureFixture
) -> None:
    subtask = Subtask("", "DM", ("SELECT 1",), (_PASSES + "pass",), Conditions())
    assert grader.grade(subtask, "SELECT 1", start, "strict").passed
    assert not [record for record in caplog.records if record.levelname == "WARNING"]
