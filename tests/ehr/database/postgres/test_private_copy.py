"""Private copies of part of a PostgreSQL database."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.ehr.database.engines import made_database, needs
from wardround.core.errors import UserError
from wardround.ehr.database import QueryError, open_database, write_database
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.private_copy import ServerCopy, copy_location

pytestmark = needs("postgres")

STATEMENTS = (
    "CREATE SCHEMA icu",
    "CREATE TYPE mood AS ENUM ('calm', 'restless')",
    "CREATE DOMAIN score AS numeric(4, 1) CHECK (VALUE < 100)",
    "CREATE TYPE pair AS (a int, b text)",
    "CREATE TABLE wards (id int PRIMARY KEY, name text NOT NULL)",
    "CREATE TABLE icu.stays (id int PRIMARY KEY, ward int REFERENCES wards (id), mood mood,"
    " moods mood[], score score, both_of pair, codes text[], entered timestamp, note varchar(20))",
    "CREATE INDEX ON icu.stays (ward, entered)",
    "CREATE INDEX ON icu.stays (lower(note))",
    "INSERT INTO wards VALUES (1, 'North'), (2, 'South')",
    "INSERT INTO icu.stays VALUES"
    " (1, 1, 'calm', '{calm,restless}', 7.5, (7, 'x'), '{a,b}', '2100-01-01', 'first'),"
    " (2, 2, 'restless', NULL, NULL, NULL, NULL, NULL, NULL)",
)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[str]:
    with made_database("postgres", tmp_path, STATEMENTS) as location:
        yield location


@pytest.fixture
def copy(source: str, tmp_path: Path) -> Iterator[ServerCopy]:
    with closing(copy_location(source, tmp_path)) as made:
        yield made


def fill(copy: ServerCopy, source: str, where: str = "1 = 1", hidden: tuple[str, ...] = ()) -> None:
    with closing(open_database(source)) as database:
        columns = database.columns_by_table()
    with copy.fill() as filled:
        for table in filled.source_tables():
            filled.copy_rows(table, columns[table], hidden, where)


def test_rows_keep_their_schema_values_and_order_of_tables(copy: ServerCopy, source: str) -> None:
    fill(copy, source, where="id = 1")
    with closing(open_database(copy.location)) as database, closing(open_database(source)) as whole:
        assert database.tables() == whole.tables() == ["wards", "stays"]
        sql = "SELECT id, ward, mood, moods, score, codes, entered, note FROM icu.stays"
        assert database.execute(sql).rows == whole.execute(f"{sql} WHERE id = 1").rows
        types = {c.name: c.type for c in database.columns("stays")}
        assert (types["mood"], types["moods"], types["score"]) == ("TEXT", "TEXT", "NUMERIC(4,1)")
        # A row in a column may hold identifiers of anyone.
        assert database.execute("SELECT both_of FROM icu.stays").rows == [(None,)]
        references = {c.name: c.references for c in database.columns("stays")}
        assert references["ward"] == "wards(id)"
        indexes = "SELECT indexdef FROM pg_indexes WHERE tablename = 'stays' ORDER BY 1"
        definitions = [
            str(row[0]).rpartition("USING ")[2] for row in database.execute(indexes).rows
        ]
        assert definitions == ["btree (ward, entered)", "btree (id)"]


def test_hidden_columns_are_empty_and_no_key(copy: ServerCopy, source: str) -> None:
    fill(copy, source, hidden=("id", "name"))
    with closing(open_database(copy.location)) as database:
        assert database.execute("SELECT * FROM wards").rows == [(None, None)] * 2
        assert "PRIMARY KEY" not in database.definition("wards")


def test_texts_are_compared_as_in_the_source(copy: ServerCopy, source: str) -> None:
    fill(copy, source)
    sql = (
        "SELECT encoding, datcollate, datctype, datlocprovider FROM pg_database"
        " WHERE datname = current_database()"
    )
    with closing(open_database(copy.location)) as database, closing(open_database(source)) as whole:
        assert database.execute(sql).rows == whole.execute(sql).rows


def test_a_copy_is_dropped_when_it_is_closed(source: str, tmp_path: Path) -> None:
    copy = copy_location(source, tmp_path)
    name = copy.location.removeprefix("postgresql:")
    fill(copy, source)
    assert name in databases(source)
    open_database(copy.location).close()
    copy.close()
    copy.close()
    assert name not in databases(source)


def test_the_copy_of_a_killed_process_is_dropped_by_the_next(source: str, tmp_path: Path) -> None:
    copy = copy_location(source, tmp_path)
    name = copy.location.removeprefix("postgresql:")
    copy._owner._connection.close()  # as the end of the process does
    assert name in databases(source)
    for _ in range(100):  # the server frees the lock of a closed connection a moment later
        open_database(source).close()
        if name not in databases(source):
            break
        time.sleep(0.05)
    assert name not in databases(source)
    copy.close()


def databases(location: str) -> list[str]:
    address = find_address(location)
    with closing(address.maintenance.connect()) as owner:
        rows = owner.execute("SELECT datname FROM pg_database").fetchall()
    address.leave()
    return [str(row[0]) for row in rows]


def test_agents_of_the_source_cannot_connect_to_a_copy(copy: ServerCopy, source: str) -> None:
    fill(copy, source)
    name = copy.location.removeprefix("postgresql:")
    with closing(open_database(source)) as whole:
        may = f"SELECT has_database_privilege(current_user, '{name}', 'CONNECT')"
        assert whole.execute(may).rows == [(False,)]
    with closing(open_database(copy.location)) as part:
        sql = "SELECT has_database_privilege(current_user, '{}', 'CONNECT')"
        assert part.execute(sql.format(name)).rows == [(True,)]
        assert part.execute(sql.format(source.removeprefix("postgresql:"))).rows == [(False,)]
        with pytest.raises(QueryError, match=r"cross-database|not implemented|does not exist"):
            part.execute(f"SELECT * FROM {source.removeprefix('postgresql:')}.public.wards")


def test_a_row_that_cannot_be_read_is_reported_without_its_value(
    copy: ServerCopy, source: str
) -> None:
    with pytest.raises(UserError, match="cannot be copied") as refused:
        fill(copy, source, where="CAST(name AS int) = 1")
    assert "North" not in str(refused.value)


def test_a_role_that_cannot_make_a_database_is_refused(source: str, tmp_path: Path) -> None:
    address = find_address(source)
    try:
        with closing(address.maintenance.connect()) as owner:
            owner.execute("CREATE ROLE plain LOGIN CREATEROLE PASSWORD 'plain'")
            try:
                owner.execute(
                    f"GRANT CONNECT ON DATABASE {address.name}, postgres TO plain".encode()
                )
                with pytest.raises(UserError, match=r"permission denied.*has CREATEDB"):
                    copy_location(_url(address), tmp_path)
            finally:
                owner.execute(
                    f"REVOKE ALL ON DATABASE {address.name}, postgres FROM plain".encode()
                )
                owner.execute("DROP ROLE plain")
    finally:
        address.leave()


def _url(address: Address) -> str:
    return address.of(user="plain", password="plain").driver_uri


def test_a_copy_on_a_server_by_url_is_opened_by_url(source: str, tmp_path: Path) -> None:
    address = find_address(source)
    try:
        with closing(copy_location(address.driver_uri, tmp_path)) as copy:
            fill(copy, address.driver_uri)
            assert address.settings["password"] not in copy.location
            with closing(open_database(copy.location)) as database:
                assert database.execute("SELECT count(*) FROM wards").rows == [(2,)]
    finally:
        address.leave()


def test_nobody_builds_a_database_that_would_be_dropped() -> None:
    with pytest.raises(UserError, match="choose another name"):
        write_database("postgresql:wardround_trial_mine")
