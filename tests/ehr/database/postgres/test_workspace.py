"""Workspaces on PostgreSQL: writes stay in them, and a reset undoes all of them."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import one_in
from tests.ehr.database.postgres.conftest import location_of
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Limits, QueryError, Workspace
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.driver import PostgresDriver
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver


@pytest.fixture
def workspace(database: Database) -> Iterator[Workspace]:
    opened = database.writable()
    yield opened
    opened.close()


def _cases() -> Iterator[tuple[list[str], str]]:
    for line in (Path(__file__).parent / "writing.tsv").read_text().splitlines():
        if not line.startswith("#"):
            statements, expected = line.replace("{newline}", "\n").split("\t")
            yield statements.split(" ;; "), expected


def _do(workspace: Workspace, statements: list[str]) -> None:
    for statement in statements:
        with suppress(QueryError):
            workspace.execute(statement, seconds=20)


def _session(workspace: Workspace) -> Any:
    return workspace.execute("select current_database()").rows


def test_reset_undoes_everything(database: Database, workspace: Workspace) -> None:
    start = database.fingerprint()
    for statements, expected in one_in(3, [*_cases()]):
        before = _session(workspace)
        _do(workspace, statements)
        workspace.reset()
        assert workspace.fingerprint() == start, statements
        method = "rollback" if _session(workspace) == before else "copy"
        assert method == expected, statements
    assert database.fingerprint() == start


def test_writes_are_visible_only_in_their_workspace(database: Database) -> None:
    first, second = database.writable(), database.writable()
    assert first.execute("update patients set name = 'x' where id < 4").changed == 3
    count_sql = "select count(*) from patients where name = 'x'"
    assert first.execute(count_sql).rows == [(3,)]
    assert second.execute(count_sql).rows == database.execute(count_sql).rows == [(0,)]
    first.execute("commit")
    assert first.execute(count_sql).rows == [(3,)]
    assert second.execute(count_sql).rows == database.execute(count_sql).rows == [(0,)]
    first.close()
    second.close()


def test_agents_own_transactions_behave_as_usual(
    workspace: Workspace,
) -> None:
    names_sql = "select distinct name from patients"
    workspace.execute("update patients set name = 'kept'")
    workspace.execute("begin")
    workspace.execute("update patients set name = 'lost'")
    workspace.execute("rollback")
    assert workspace.execute(names_sql).rows == [("kept",)]
    workspace.execute("begin")
    workspace.execute("update patients set name = 'new'")
    workspace.execute("commit")
    assert workspace.execute(names_sql).rows == [("new",)]


def test_errors_and_limits_undo_one_statement_only(workspace: Workspace) -> None:
    workspace.execute("update patients set name = 'x'")
    for statement, kind in (
        ("select 1 / 0", "runtime"),
        ("insert into labs (patient) values (999)", "runtime"),
        ("selec", "syntax"),
        ("", "syntax"),
        ("select 1; select 2", "denied"),
        ("create role other", "denied"),
        ("create extension dblink", "denied"),
        ("copy patients to '/tmp/x'", "denied"),
        ("update patients set name = (select 'y' from pg_sleep(30))", "timeout"),
        ("update patients set name = repeat('x', 300000) returning name", "limit"),
    ):
        with pytest.raises(QueryError) as failed:
            workspace.execute(statement, seconds=0.5 if kind == "timeout" else 20)
        assert failed.value.kind == kind, statement
    assert workspace.execute("select distinct name from patients").rows == [("x",)]


def test_session_ended_by_an_agent_restarts_and_says_so(
    database: Database, workspace: Workspace
) -> None:
    start = database.fingerprint()
    for statements in (
        ["select pg_terminate_backend(pg_backend_pid())"],
        ["commit", "select pg_terminate_backend(pg_backend_pid())"],
        ["set idle_in_transaction_session_timeout = 10", "select 1"],
    ):
        workspace.execute("update patients set name = 'x'")
        for statement in statements[:-1]:
            workspace.execute(statement)
        sleep(0.2)
        with pytest.raises(QueryError, match=r"at the start.* is lost") as ended:
            workspace.execute(statements[-1])
        assert ended.value.kind == "runtime"
        assert workspace.fingerprint() == start


_CATCHES_CANCELLING = (
    "loop begin perform pg_sleep(100); exception when query_canceled then null; end; end loop;",
    # Busy, and nested, so that no moment is outside of a block that catches.
    "loop begin loop begin loop perform 1; end loop;"
    " exception when query_canceled then null; end; end loop;"
    " exception when query_canceled then null; end; end loop;",
    "loop begin perform pg_sleep(100);"
    " exception when query_canceled or others then null; end; end loop;",
    "loop begin perform pg_sleep(100); exception when sqlstate '57014' then null; end; end loop;",
)


def test_statements_that_catch_their_cancelling_are_ended_after_a_second(
    database: Database, workspace: Workspace
) -> None:
    start = database.fingerprint()

    def stopped(block: str) -> tuple[str, str, bool]:
        with closing(database.writable()) as late:
            late.execute("update patients set name = 'x'")
            with pytest.raises(QueryError) as error:
                late.execute(f"do $$ begin {block} end $$", seconds=0.5)
            return error.value.kind, str(error.value), late.fingerprint() == start

    workspace.execute("update patients set name = 'y'")
    with ThreadPoolExecutor(len(_CATCHES_CANCELLING)) as threads:
        for kind, message, is_reset in threads.map(stopped, _CATCHES_CANCELLING):
            assert re.search(r"stopped after 0.5 s.*at the start", message)
            assert (kind, is_reset) == ("timeout", True)
    assert workspace.execute("select distinct name from patients").rows == [("y",)]


def test_statement_that_catches_its_refusal_is_ended_after_a_second(workspace: Workspace) -> None:
    workspace.execute(
        "create function rows() returns setof text language plpgsql as $$ begin"
        " loop begin perform pg_sleep(100);"
        " exception when query_canceled then return next 'x'; end; end loop; end $$"
    )
    assert isinstance(workspace.driver, PostgresWorkspaceDriver)
    session = workspace.driver._clone.session
    refusal = QueryError("The statement writes too much.", "limit")
    began = monotonic()
    session.compile("select rows()", 60)
    with pytest.raises(QueryError, match="writes too much"):
        session.run(None, stop_at_most=False, watch=lambda: refusal)
    assert monotonic() - began < 5


def test_unreadable_results_are_the_agents_fault(
    workspace: Workspace,
) -> None:
    workspace.execute("update patients set name = 'x'")
    workspace.execute("set client_encoding = 'LATIN1'")
    assert isinstance(workspace.driver, PostgresWorkspaceDriver)
    with pytest.raises(QueryError, match="as this session is set"):
        workspace.driver.values("select chr(233)", rows=10, seconds=20)
    workspace.execute("reset all")
    workspace.execute("set bytea_output = 'escape'")
    with pytest.raises(QueryError, match="as this session is set"):
        workspace.execute(r"select '\x00ff41'::bytea")
    assert workspace.execute("select distinct name from patients").rows == [("x",)]


def test_used_clones_hold_no_connections(database: Database) -> None:
    sessions = []
    for _ in range(5):
        with closing(database.writable()) as workspace:
            assert isinstance(workspace.driver, PostgresWorkspaceDriver)
            workspace.execute("commit")
            sessions.append(workspace.driver._clone.session)
    assert all(session.closed for session in sessions)


def test_excessive_locks_end_with_their_session(database: Database, workspace: Workspace) -> None:
    with pytest.raises(QueryError, match=r"locks too much.*at the start") as refused:
        workspace.execute("select count(pg_advisory_lock(i)) from generate_series(1, 900000) i")
    assert refused.value.kind == "limit"
    with closing(database.writable()) as other:
        assert other.execute("select count(*) from patients").rows == [(50,)]
    assert workspace.execute("select count(*) from patients").rows == [(50,)]


def test_a_session_that_keeps_the_lock_table_full_ends(
    database: Database, workspace: Workspace
) -> None:
    keep = """do $$ begin
        begin perform pg_advisory_lock(i) from generate_series(1, 900000) i;
        exception when out_of_memory then null; end;
        perform pg_sleep(60);
    end $$"""
    with closing(database.writable()) as other, ThreadPoolExecutor() as pool:
        kept = pool.submit(workspace.execute, keep, seconds=60)
        # The other's statement is watched meanwhile.
        assert other.execute("select 1 from pg_sleep(2)").rows == [(1,)]
        with pytest.raises(QueryError, match=r"locks too much.*at the start") as refused:
            kept.result()
        assert refused.value.kind == "limit"
        assert other.execute("select count(*) from patients").rows == [(50,)]
    assert workspace.execute("select count(*) from patients").rows == [(50,)]


def test_agents_write_nothing_into_the_servers_log(address: Address, workspace: Workspace) -> None:
    if address.server is None:
        pytest.skip("the log of wardround's own server")
    workspace.execute("do $$ begin raise log 'name of a patient'; end $$")
    with pytest.raises(QueryError, match="Surname"):
        workspace.execute("select 'Surname'::int")
    log = (address.server._folder / "log").read_text()
    assert "name of a patient" not in log
    assert "Surname" not in log


def test_returned_rows_are_truncated_but_all_are_written(workspace: Workspace) -> None:
    table = workspace.execute("update labs set value = 1 returning id", rows=3)
    assert (len(table.rows), table.truncated, table.changed) == (3, True, 200)
    assert workspace.execute("select count(*) from labs where value = 1").rows == [(200,)]


def test_loss_of_the_state_to_a_giant_row_is_reported(address: Address) -> None:
    limits = Limits(result_bytes=1_000_000)
    database = Database(PostgresDriver(find_address(location_of(address)), limits))
    with closing(database), closing(database.writable()) as workspace:
        workspace.execute("update patients set name = 'x'")
        for bytes_shown in (900_000, 80_000_000):
            with pytest.raises(QueryError) as refused:
                workspace.execute(f"select repeat('x', {bytes_shown})")
            assert refused.value.kind == "limit"
            is_kept = workspace.execute("select distinct name from patients").rows == [("x",)]
            assert is_kept != ("is lost" in str(refused.value))


def test_many_long_rows_cost_no_session(address: Address) -> None:
    limits = Limits(result_bytes=20_000_000)
    database = Database(PostgresDriver(find_address(location_of(address)), limits))
    with closing(database), closing(database.writable()) as workspace:
        workspace.execute("update patients set name = 'x'")
        long = workspace.execute("select repeat('x', 190000) from labs limit 100", rows=None)
        assert len(long.rows) == 100
        assert workspace.execute("select distinct name from patients").rows == [("x",)]


def test_disk_is_bounded(address: Address) -> None:
    limits = Limits(file_bytes=20_000_000)
    database = Database(PostgresDriver(find_address(location_of(address)), limits))
    workspace = database.writable()
    with pytest.raises(QueryError, match="20,000,000 bytes") as refused:
        workspace.execute("create table big as select generate_series(1, 90000000) as i, random()")
    assert refused.value.kind == "limit"
    assert "big" not in workspace.tables()
    workspace.close()
    database.close()


def test_clones_are_made_during_reads_and_writes(database: Database) -> None:
    def trial(number: int) -> list[tuple[Any, ...]]:
        read = database.execute("select count(*) from patients").rows
        workspace = database.writable()
        workspace.execute(f"update patients set name = '{number}'")
        workspace.execute("commit") if number % 2 else None
        result = workspace.execute("select distinct name from patients").rows
        workspace.close()
        return [*read, *result]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(trial, range(10))) == [[(50,), (str(i),)] for i in range(10)]


def test_closing_leaves_nothing_behind(address: Address) -> None:
    driver = PostgresDriver(find_address(location_of(address)), Limits())
    database = Database(driver)
    # Other tests have copies on the same server.
    own = driver._owner.new_name().rpartition("_")[0]
    open_workspace, closed = database.writable(), database.writable()
    closed.close()
    closed.close()
    database.close()
    open_workspace.close()
    with address.maintenance.connect() as owner:
        result = owner.execute("select datname from pg_database").fetchall()
        assert [name for (name,) in result if name.startswith(own)] == []
    with pytest.raises(UserError, match="closed"):
        open_workspace.execute("select 1")


_VALUES = st.integers(-3, 60)
_WRITING = st.one_of(
    st.builds("update labs set value = value + {} where id % 7 = {}".format, _VALUES, _VALUES),
    st.builds("insert into labs (patient, value) values ({}, {})".format, _VALUES, _VALUES),
    st.builds("insert into patients (id, name) values ({}, 'new')".format, _VALUES),
    st.builds("delete from labs where patient < {}".format, _VALUES),
    st.builds("delete from patients where id = {}".format, _VALUES),
    st.builds("select nextval('tickets'), setval('labs_id_seq', {})".format, _VALUES),
    st.builds(
        "alter table patients add column c{} int default {}".format, st.integers(0, 3), _VALUES
    ),
    st.builds("alter table labs add check (value < {})".format, _VALUES),
    st.builds(
        "alter table labs drop column {}".format, st.sampled_from(["value", "raw", "patient"])
    ),
    st.builds("create index on labs ({})".format, st.sampled_from(["value", "patient"])),
    st.builds("create table t{} as select * from labs".format, st.integers(0, 2)),
    st.builds("create or replace view named as select name, {} as n from patients".format, _VALUES),
    st.sampled_from(
        [
            "truncate labs restart identity",
            "drop table labs",
            "drop view named",
            "drop sequence tickets cascade",
            "alter sequence tickets increment by 3",
            "alter type mood add value if not exists 'glad'",
            "create or replace function twice(i int) returns int language sql as 'select 3 * i'",
            "create trigger quiet before update on labs for each row"
            " execute function suppress_redundant_updates_trigger()",
            "begin",
            "commit",
            "rollback",
            "vacuum",
            "select 1 / 0",
            "set search_path = pg_catalog",
        ]
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements=st.lists(_WRITING, max_size=6))
def test_any_writes_are_undone(
    database: Database, workspace: Workspace, statements: list[str]
) -> None:
    _do(workspace, statements)
    workspace.reset()
    assert workspace.fingerprint() == database.fingerprint()
