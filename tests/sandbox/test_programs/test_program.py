"""Checks of test programs before they run."""

import pytest

from tests.cases import for_each
from wardround.sandbox.test_programs.program import read_program

_RUN = [
    "execute_queries(pred_sqls, db_name, conn)",
    "execute_queries(sqls=pred_sqls, db_name=db_name, conn=conn)",
    "execute_queries(pred_sqls[0], db_name, conn)",
    "execute_queries(remove_comments(pred_sqls), db_name, conn)",
    "clean = remove_round(pred_sqls)\n    last = clean[-1:]\n    execute_queries(last)",
    "for sql in pred_sqls:\n        conn.cursor().execute(sql)",
    "[conn.execute(sql) for sql in pred_sqls]",
]
_NOT_RUN = [
    "pass",
    "assert 'index' in pred_sqls[0].lower()",
    "execute_queries(sol_sqls, db_name, conn)",
    "text = ' '.join(pred_sqls)\n    execute_queries('SELECT 1', db_name, conn)\n    assert text",
]


def _program(body: str) -> str:
    return f"def test_case(pred_sqls, sol_sqls, db_name, conn):\n    {body}\n"


@for_each(_RUN)
def test_program_that_runs_the_statements_is_recognised(body: str) -> None:
    assert read_program(_program(body)).runs_statements


@pytest.mark.parametrize("body", _NOT_RUN)
def test_program_that_runs_no_statements_is_recognised(body: str) -> None:
    assert not read_program(_program(body)).runs_statements


def test_caller_names_more_functions_that_run_statements() -> None:
    program = _program("return compare(pred_sqls, sol_sqls)")
    assert not read_program(program).runs_statements
    assert read_program(program, frozenset({"compare"})).runs_statements


def test_parameters_may_have_any_names() -> None:
    program = read_program("def test_case(a, b, c, d):\n    execute_queries(a, c, d)")
    assert program.runs_statements
    assert not program.rolls_back
    assert read_program(_program("conn.rollback()")).rolls_back


@pytest.mark.parametrize(
    "source",
    ["", "x = = 3", "def test_case(pred_sqls): pass", "def test(a, b, c, d): pass", "\0"],
)
def test_other_python_is_refused(source: str) -> None:
    with pytest.raises(SyntaxError):
        read_program(source)
