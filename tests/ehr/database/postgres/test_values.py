"""Python values of expressions in a workspace, by the cases of `values.tsv`."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver


@pytest.fixture
def workspace(database: Database) -> Iterator[PostgresWorkspaceDriver]:
    with closing(database.writable()) as opened:
        assert isinstance(opened.driver, PostgresWorkspaceDriver)
        yield opened.driver


def _cases() -> Iterator[tuple[str, str]]:
    for line in (Path(__file__).parent / "values.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            expression, expected = line.split("\t")
            yield expression, expected


def test_expressions_give_the_values_of_the_file(workspace: PostgresWorkspaceDriver) -> None:
    for expression, expected in _cases():
        result = workspace.values(f"select {expression}", rows=None, seconds=20)
        ((value,),) = result.rows
        assert expected == "..." or repr(value) == expected, expression


def test_values_obey_the_same_limits(
    workspace: PostgresWorkspaceDriver,
) -> None:
    changed = workspace.values("update labs set value = 1 returning value", rows=3, seconds=20)
    assert (changed.columns, len(changed.rows)) == (("value",), 3)
    assert (changed.truncated, changed.changed) == (True, 200)
    assert workspace.values("create table t (a int)", rows=None, seconds=20).columns == ()
    for statement, kind in (("select 1 / 0", "runtime"), ("select pg_sleep(9)", "timeout")):
        with pytest.raises(QueryError) as failed:
            workspace.values(statement, rows=None, seconds=0.3)
        assert failed.value.kind == kind
    assert workspace.values("(select 1) union (select 2)", rows=None, seconds=20).rows
