"""Reading from PostgreSQL as an agent: cells, errors, limits, and state after a statement."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ehr.database.postgres.conftest import location_of
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Limits, QueryError, open_database, quote_text
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.driver import PostgresDriver


def _cases() -> Iterator[tuple[str, str]]:
    for line in (Path(__file__).parent / "reading.tsv").read_text().splitlines():
        if not line.startswith("#"):
            statement, expected = line.split("\t")
            yield statement, expected


def _answer(database: Database, sql: str, seconds: float) -> str:
    try:
        return repr(database.execute(sql, seconds=seconds).rows[0])
    except QueryError as error:
        return error.kind


def _as_owner(address: Address, statement: str) -> None:
    """Run a statement and wait for the session's end, when its changes are counted."""
    with address.connect() as owner:
        pid = owner.info.backend_pid
        owner.execute(statement.encode())
    running = "select 1 from pg_stat_activity where pid = %s"
    with address.maintenance.connect() as owner:
        while owner.execute(running, [pid]).fetchone():
            sleep(0.01)


def test_statements_give_the_results_of_the_file(database: Database) -> None:
    for statement, expected in _cases():
        kinds = expected.split()
        began = monotonic()
        result = _answer(database, statement, 0.5 if "timeout" in kinds else 20)
        assert result == expected or result in kinds, statement
        assert monotonic() - began < 15
        assert database.execute("select count(*) from patients").rows == [(50,)]


_LISTS = st.lists(
    st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    max_size=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=_LISTS)
def test_arrays_survive_a_round_trip(database: Database, values: list[str | None]) -> None:
    written = ", ".join("NULL" if each is None else quote_text(each) for each in values)
    ((read,),) = database.execute(f"select array[{written}]::text[]").rows
    assert json.loads(str(read)) == values


def test_settings_end_with_their_statement(database: Database) -> None:
    settings_sql = (
        "select current_setting('work_mem'), current_setting('default_transaction_read_only'),"
        " (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())"
    )
    before = database.execute(settings_sql).rows
    database.execute(
        "select set_config('work_mem', '77MB', false), pg_advisory_lock(1),"
        " set_config('default_transaction_read_only', 'off', false)"
    )
    assert database.execute(settings_sql).rows == before


def test_rows_beyond_those_asked_for_are_cut_and_cost_no_time(database: Database) -> None:
    began = monotonic()
    table = database.execute(
        "select i from generate_series(1, 3) i, labs a, labs b, labs c", rows=5
    )
    assert len(table.rows) == 5
    assert table.truncated
    assert monotonic() - began < 10
    exact = database.execute("select name from patients", rows=50)
    assert (len(exact.rows), exact.truncated) == (50, False)


def test_many_rows_are_returned_completely(database: Database) -> None:
    table = database.execute("select i, 'row ' || i from generate_series(1, 20001) i", rows=None)
    assert table.rows[-1] == (20001, "row 20001")
    assert (len(table.rows), table.truncated) == (20001, False)


def test_result_is_bounded(address: Address) -> None:
    limits = Limits(result_bytes=100_000, sql_bytes=100)
    database = Database(PostgresDriver(find_address(location_of(address)), limits))
    with pytest.raises(QueryError, match="100,000 bytes") as refused:
        database.execute("select repeat('x', 1000) from labs a", rows=None)
    assert refused.value.kind == "limit"
    with pytest.raises(QueryError, match="longer than 100 bytes"):
        database.execute("select " + "1" * 100)
    assert database.execute("select 1").rows == [(1,)]
    database.close()


def test_memory_is_bounded_on_own_server(database: Database) -> None:
    if not database.url.startswith("postgresql:test"):
        pytest.skip("a server given by URL keeps its own memory")
    sql = "select length(string_agg(repeat('x', 100000), '')) from labs a, generate_series(1, 5)"
    assert database.execute(sql).rows == [(100_000_000,)]
    with pytest.raises(QueryError, match="memory") as refused:
        database.execute(sql, memory=50_000_000)
    assert refused.value.kind == "limit"
    assert database.execute(sql).rows == [(100_000_000,)]


_GIANT_CELL = """
import sys
from wardround.ehr.database import Database, Limits, QueryError
from wardround.ehr.database.postgres.connection import find_address
from wardround.ehr.database.postgres.driver import PostgresDriver

database = Database(PostgresDriver(find_address(sys.argv[1]), Limits(heap_bytes=4 << 30)))
try:
    database.execute("select repeat('x', 300000000)", seconds=200)
except QueryError as error:
    print(error.kind)
print(database.execute("select 1").rows)
database.close()
"""


def test_cell_of_300_megabytes_is_refused(address: Address) -> None:
    """The server's memory limit is raised, because it would refuse the cell before the client.

    The bytes read until then depend on the machine: libpq reads as long as the server keeps up,
    about 110 MB on an idle machine and the complete cell on a busy one.
    """
    if not address.server:
        pytest.skip("one kind of server is enough")
    result = subprocess.run(
        [sys.executable, "-c", _GIANT_CELL, address.url], capture_output=True, text=True
    )
    assert result.stdout.split() == ["limit", "[(1,)]"]


def test_other_sessions_are_invisible_and_cannot_be_ended(database: Database) -> None:
    with ThreadPoolExecutor(3) as threads:
        sleeping = threads.submit(database.execute, "select pg_sleep(2), 'secret'")
        sessions_sql = (
            "select query from pg_stat_activity where pid <> pg_backend_pid()"
            " and usename like 'wardround_trial_%'"
        )
        while not (visible := database.execute(sessions_sql, rows=None).rows):
            sleep(0.01)
        assert "secret" not in str(visible)
        for function in ("pg_cancel_backend", "pg_terminate_backend"):
            with pytest.raises(QueryError, match=r"[Pp]ermission|[Mm]ust") as refused:
                database.execute(
                    f"select {function}(pid) from pg_stat_activity where pid <> pg_backend_pid()"
                    " and usename like 'wardround_trial_%'"
                )
            assert refused.value.kind == "denied"
        assert sleeping.result().rows == [("", "secret")]


def test_many_threads_at_once(database: Database) -> None:
    with ThreadPoolExecutor(16) as threads:
        result = threads.map(
            lambda i: database.execute(f"select {i}, count(*) from labs").rows, range(200)
        )
        assert list(result) == [[(i, 200)] for i in range(200)]


def test_schema_as_text(database: Database) -> None:
    assert database.tables() == ["patients", "labs", "named"]
    assert database.definition("LABS") == (
        "CREATE TABLE labs (\n"
        "    id INTEGER NOT NULL,\n"
        "    patient BIGINT,\n"
        "    value NUMERIC(8,2),\n"
        "    flag BOOLEAN,\n"
        "    raw BYTEA,\n"
        "    PRIMARY KEY (id),\n"
        "    FOREIGN KEY (patient) REFERENCES patients(id)\n"
        ")"
    )
    assert database.columns("patients")[3].type == "TIMESTAMP"
    assert database.sample("patients", 1).rows == [(1, "n1", "2050-01-02", "2100-01-01 10:00:00")]
    with pytest.raises(QueryError, match="no table"):
        database.columns("nowhere")


def test_fingerprint_follows_the_content(database: Database, address: Address) -> None:
    first = database.fingerprint()
    assert database.fingerprint() == first
    for change, back in (
        (
            "update labs set value = value + 1 where id = 7",
            "update labs set value = value - 1 where id = 7",
        ),
        ("alter table patients add column x int", "alter table patients drop column x"),
        ("select setval('tickets', 9)", "select setval('tickets', 5, false)"),
    ):
        result = []
        for statement in (change, back):
            _as_owner(address, statement)
            result.append(database.fingerprint())
        assert result[0] != first
        assert result[1] == first


def test_roles_of_agents_are_dropped_on_close(address: Address) -> None:
    database = Database(PostgresDriver(find_address(location_of(address)), Limits()))
    database.execute("select 1")
    with address.maintenance.connect() as owner:
        roles_sql = "select count(*) from pg_roles where rolname like 'wardround_trial_%'"
        during = owner.execute(roles_sql.encode()).fetchone()
        database.close()
        database.close()
        after = owner.execute(roles_sql.encode()).fetchone()
    assert during is not None
    assert after is not None
    assert after[0] < during[0]
    with pytest.raises(UserError, match="closed"):
        database.execute("select 1")


def test_functions_that_reach_out_are_refused(own_address: Address) -> None:
    with own_address.connect() as owner:
        if not owner.execute(
            "select 1 from pg_available_extensions where name = 'dblink'"
        ).fetchone():
            pytest.skip("no dblink here")
        owner.execute("create extension dblink")
    with pytest.raises(UserError, match=r"reach out of it.*dblink"):
        open_database(location_of(own_address))


def test_tables_of_several_schemas_are_found(own_address: Address) -> None:
    with own_address.connect() as owner:
        owner.execute(
            "create schema icu; create table icu.stays (id int); insert into icu.stays values (3)"
        )
    database = Database(PostgresDriver(find_address(location_of(own_address)), Limits()))
    assert "stays" in database.tables()
    assert database.execute("select * from stays").rows == [(3,)]
    database.close()
