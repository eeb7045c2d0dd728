"""Attempts of an agent to leave its workspace or to reach other trials."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier
from typing import Any

from wardround.ehr.database import Database, QueryError, Workspace
from wardround.ehr.database.postgres.connection import Address

_TRACE = Path("/tmp/wardround-escaped")  # noqa: S108 - nothing is written there
_SHARED_SQL = """
SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolcanlogin FROM pg_catalog.pg_roles
WHERE rolname NOT LIKE 'wardround_trial%'
UNION ALL SELECT datname, datistemplate, datallowconn, false, false FROM pg_catalog.pg_database
WHERE datname NOT LIKE 'wardround_trial%'
UNION ALL SELECT spcname, false, false, false, false FROM pg_catalog.pg_tablespace
UNION ALL SELECT slot_name, false, false, false, false FROM pg_catalog.pg_replication_slots
UNION ALL SELECT subname, false, false, false, false FROM pg_catalog.pg_subscription
UNION ALL SELECT name || setting, false, false, false, false FROM pg_catalog.pg_file_settings
UNION ALL SELECT setconfig::text, false, false, false, false FROM pg_catalog.pg_db_role_setting
WHERE setdatabase <> 0
ORDER BY 1
"""


def _cases() -> Iterator[tuple[list[str], str]]:
    for line in (Path(__file__).parent / "escaping.tsv").read_text().splitlines():
        if not line.startswith("#"):
            statements, expected = line.split("\t")
            yield statements.split(" ;; "), expected


def _answer(workspace: Workspace, sql: str) -> str:
    try:
        return repr(workspace.execute(sql, seconds=20).rows[0])
    except QueryError as error:
        return error.kind


def _shared(address: Address) -> list[Any]:
    with address.maintenance.connect() as owner:
        return owner.execute(_SHARED_SQL).fetchall()


def test_no_statement_leaves_the_database(database: Database, address: Address) -> None:
    before = _shared(address)
    wrong = []
    with closing(database.writable()) as workspace:
        for statements, expected in _cases():
            for means in statements[:-1]:
                with suppress(QueryError):
                    workspace.execute(means)
            result = _answer(workspace, statements[-1])
            if result != expected and result not in expected.split():
                wrong.append((statements, expected, result))
            workspace.reset()
    assert not wrong
    assert _shared(address) == before
    assert not _TRACE.exists()


def test_other_trials_are_unreachable(database: Database) -> None:
    """Covers sessions, databases, messages and locks."""
    with closing(database.writable()) as mine, closing(database.writable()) as other:
        identity_sql = "select current_database(), pg_backend_pid()"
        name, pid = map(str, other.execute(identity_sql).rows[0])
        mine.execute("select pg_advisory_lock(5)")
        mine.execute("lock table patients")
        assert other.execute("select pg_try_advisory_lock(5)").rows == [(1,)]
        assert other.execute("select count(*) from patients").rows == [(50,)]
        assert mine.execute(f"select has_database_privilege('{name}', 'CONNECT')").rows == [(0,)]
        assert _answer(mine, f"drop database {name}") == "denied"
        assert _answer(mine, f"select pg_terminate_backend({pid})") == "denied"
        query = f"select query from pg_stat_activity where pid = {pid}"
        assert mine.execute(query).rows == [("<insufficient privilege>",)]


def test_trials_at_once_see_only_their_own(database: Database) -> None:
    trials = 12  # more than spare and used copies together
    all_written = Barrier(trials)
    everything = (
        "select (select string_agg(distinct name, ',') from patients), (select count(*) from labs),"
        " (select last_value from tickets), (select count(*) from pg_tables"
        " where tablename like 'mine_%')"
    )

    def trial(number: int) -> list[tuple[Any, ...]]:
        with closing(database.writable()) as workspace:
            workspace.execute(f"update patients set name = 'trial {number}'")
            workspace.execute(f"delete from labs where id > {number}")
            workspace.execute(f"select setval('tickets', {1000 + number})")
            workspace.execute(f"create table mine_{number} as select 1 as a")
            if number % 4 == 0:
                workspace.execute("commit")
            all_written.wait(timeout=120)
            rows = workspace.execute(everything).rows
            workspace.reset()
            return [*rows, *workspace.execute("select count(*) from labs").rows]

    start = database.fingerprint()
    with ThreadPoolExecutor(trials) as threads:
        for number, rows_seen in enumerate(threads.map(trial, range(trials))):
            assert rows_seen == [(f"trial {number}", number, 1000 + number, 1), (200,)]
    assert database.fingerprint() == start
