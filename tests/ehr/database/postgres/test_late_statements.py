"""Statements that look at no request to stop: they end, and nothing else on the server does."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.ehr.database.engines import filled_on_server
from wardround.core.errors import WardroundError
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.database.postgres.connection import find_address

_TRANSLATE = "length(translate(repeat('x', 100000000), repeat('y', 1000000), ''))"
_DOUBLED = ", ".join(f"c{i} as (select x || x as x from c{i - 1})" for i in range(1, 40))
_READ = {
    "function that allocates nothing": f"select {_TRANSLATE}",
    "geometry": "select ('[' || repeat('(1,1),', 20000) || '(2,2)]')::path"
    " <-> ('[' || repeat('(8,1),', 20000) || '(9,2)]')::path",
    "planning of an expression that doubles": "with c0 as (select random()::text as x), "
    f"{_DOUBLED} select length(x) from c39",
    "planning of inlined subqueries": "select x from "
    + "(select x + x as x from " * 40
    + "(select i as x from numbers) q"
    + ") q" * 40,
}
_WRITTEN = {
    "planning of equations": "execute (select asked from equations);",
    "errors caught": f"loop begin perform {_TRANSLATE}; "
    "exception when others or query_canceled then null; end; end loop;",
}


@pytest.fixture(scope="module")
def numbers(own_server: str) -> Iterator[Database]:
    location = f"{own_server}late_{os.getpid()}"
    statements = [
        "create table numbers (i int, j int)",
        "insert into numbers values (1, 1), (2, 2)",
        "create table equations as select 'select count(*) from numbers where true' ||"
        " string_agg(' and i = j + ' || g, '') as asked from generate_series(1, 30000) g",
    ]
    with filled_on_server(location, statements), closing(open_database(location)) as opened:
        yield opened


@pytest.fixture
def sessions(numbers: Database) -> Iterator["Sessions"]:
    opened = Sessions(numbers.name)
    yield opened
    opened.close()


class Sessions:
    """The sessions of agents, seen by a connection that a restart of the server would end."""

    def __init__(self, database: str) -> None:
        self._address = find_address(f"postgresql:{database}")
        self._connection = self._address.maintenance.connect()

    def running(self) -> int:
        """The number of statements that agents' sessions run."""
        sql = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE usename LIKE 'wardround\\_trial\\_%' AND state = 'active'"
        )
        return int(self._connection.execute(sql.encode()).fetchall()[0][0])

    def computing(self, longer_than: float = 0) -> int:
        """The number of statements on geometry, also of sessions whose role has been dropped."""
        sql = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE state = 'active' AND query LIKE '%::path%' AND pid <> pg_backend_pid()"
            f" AND clock_timestamp() - query_start > interval '{longer_than} s'"
        )
        return int(self._connection.execute(sql.encode()).fetchall()[0][0])

    def close(self) -> None:
        self._connection.close()
        self._address.leave()


def _kind(database: Database, sql: str) -> str:
    with pytest.raises(QueryError) as stopped:
        database.execute(sql, seconds=0.5)
    return stopped.value.kind


def test_reading_that_ignores_its_cancelling_ends(numbers: Database, sessions: Sessions) -> None:
    with ThreadPoolExecutor(len(_READ)) as pool:
        kinds = list(pool.map(lambda sql: _kind(numbers, sql), _READ.values()))
    assert kinds == ["timeout"] * len(_READ)
    assert not sessions.running()
    assert numbers.execute("select sum(i) from numbers").rows == [(3,)]


def test_closing_ends_a_statement_that_ignores_its_cancelling(
    numbers: Database, sessions: Sessions
) -> None:
    other = open_database(numbers.url)
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(other.execute, _READ["geometry"], seconds=20)
        while not sessions.computing(longer_than=0.3):
            assert not late.done()
        other.close()
        assert not sessions.computing()
        assert isinstance(late.exception(), QueryError | WardroundError)
    assert numbers.execute("select sum(i) from numbers").rows == [(3,)]


@pytest.mark.parametrize("block", _WRITTEN.values(), ids=_WRITTEN.keys())
def test_writing_that_ignores_its_cancelling_ends(
    numbers: Database, sessions: Sessions, block: str
) -> None:
    with closing(numbers.writable()) as late, closing(numbers.writable()) as other:
        other.execute("insert into numbers values (3, 3)")
        with pytest.raises(QueryError, match="at the start") as stopped:
            # Long enough for the query to be parsed, which looks at requests to stop.
            late.execute(f"do $$ begin {block} end $$", seconds=4)
        assert stopped.value.kind == "timeout"
        assert not sessions.running()
        assert late.execute("select sum(i) from numbers").rows == [(3,)]
        assert other.execute("select sum(i) from numbers").rows == [(6,)]
