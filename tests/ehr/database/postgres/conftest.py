"""PostgreSQL for tests: wardround's own server, and one of version 15 if installed."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("adbc_driver_postgresql")

from tests.ehr.database.engines import filled_on_server
from tests.ward import start, ward_database
from wardround.ehr.database import Database, Limits
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.driver import PostgresDriver
from wardround.ehr.database.postgres.server import use_server

__all__ = ["start", "ward_database"]

_PROGRAMS = Path("/usr/lib/postgresql/15/bin")
_PASSWORD = "pass word@1"
_NUMBERS = count()

SMALL = """
create table patients (id bigint primary key, name text not null, born date, seen timestamp);
insert into patients select i, 'n' || i, date '2050-01-01' + i, timestamp '2100-01-01 10:00' from generate_series(1, 50) i;
create table labs (id serial primary key, patient bigint references patients (id) deferrable initially deferred, value numeric(8, 2), flag boolean default false, raw bytea);
insert into labs (patient, value) select 1 + i % 50, i / 4.0 from generate_series(1, 200) i;
create view named as select name from patients;
create sequence tickets start 5;
create type mood as enum ('calm', 'sad');
create function twice(i int) returns int language sql as 'select 2 * i'
"""  # noqa: E501


@pytest.fixture(scope="session")
def own_server() -> Iterator[str]:
    """The prefix of locations on wardround's own server, which runs for the whole session."""
    server = use_server()
    yield "postgresql:"
    server.leave()


@pytest.fixture(scope="session")
def version_15() -> Iterator[str]:
    """The prefix of locations on a server of version 15, by URL."""
    if not (_PROGRAMS / "initdb").exists():
        pytest.skip("no programs of PostgreSQL 15 are installed here")
    folder = Path(tempfile.mkdtemp(prefix="postgres15-"))
    port = _free_port()
    _start_15(folder, port)
    yield f"postgresql://boss:pass%20word%401@127.0.0.1:{port}/"
    _as_user("pg_ctl", "-D", str(folder / "data"), "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.fixture(
    scope="module", params=["own_server", pytest.param("version_15", marks=pytest.mark.slow)]
)
def empty(request: pytest.FixtureRequest) -> str:
    """A location without a database on each kind of server."""
    start: str = request.getfixturevalue(request.param)
    return f"{start}test_{os.getpid()}_{next(_NUMBERS)}"


@contextmanager
def small_database(location: str) -> Iterator[Address]:
    """A small database at a location."""
    with filled_on_server(location, SMALL.strip().split(";\n")):
        found = find_address(location)
        yield found
        found.leave()


@pytest.fixture(scope="module")
def address(empty: str) -> Iterator[Address]:
    """A small database, which no test leaves changed."""
    with small_database(empty) as found:
        yield found


@pytest.fixture
def own_address(empty: str) -> Iterator[Address]:
    """A small database that a test may change."""
    with small_database(f"{empty}_own") as found:
        yield found


@pytest.fixture(scope="module")
def database(address: Address) -> Iterator[Database]:
    """The small database as opened for agents."""
    opened = Database(PostgresDriver(find_address(location_of(address)), Limits()))
    yield opened
    opened.close()


def location_of(address: Address) -> str:
    """The location by which a database is opened as an agent's."""
    return address.url if address.server is not None else address.driver_uri


def _start_15(folder: Path, port: int) -> None:
    user = _lesser_user()
    os.chown(folder, user.pw_uid, user.pw_gid)
    secret = folder / "secret"
    secret.write_text(_PASSWORD)
    os.chown(secret, user.pw_uid, user.pw_gid)
    data = str(folder / "data")
    initdb = ("initdb", "-D", data, "-U", "boss", "-A", "scram-sha-256", f"--pwfile={secret}")
    _as_user(*initdb, "--no-sync", "--locale=C", "--encoding=UTF8")
    options = f"-c port={port} -c unix_socket_directories={folder} -c fsync=off"
    _as_user("pg_ctl", "-D", data, "-l", str(folder / "log"), "-o", options, "-w", "start")


def _as_user(program: str, *arguments: str) -> None:
    user = _lesser_user()
    other = os.geteuid() == 0
    subprocess.run(
        [_PROGRAMS / program, *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd="/",
        user=user.pw_uid if other else None,
        group=user.pw_gid if other else None,
    )


def _lesser_user() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
