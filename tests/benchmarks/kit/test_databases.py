"""Databases are opened by name; if one fails to open, none stays open."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from wardround.benchmarks.kit.databases import (
    close_databases,
    open_databases,
    open_filled,
    schema_text,
)
from wardround.core.errors import UserError
from wardround.ehr.database import Database


@dataclass
class Opened:
    database: Database


def a_file(folder: Path, name: str, *statements: str) -> str:
    with closing(sqlite3.connect(folder / name)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return str(folder / name)


@pytest.mark.integration
def test_databases_have_the_names_that_tasks_use(tmp_path: Path) -> None:
    place = a_file(tmp_path, "a.sqlite", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
    opened = open_databases({"ward": place}, lambda name, place: Opened(open_filled(place)))
    assert schema_text(opened["ward"].database) == "CREATE TABLE t (\n    x\n)"
    close_databases(opened)


@pytest.mark.integration
def test_empty_table_is_refused_and_open_databases_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = a_file(tmp_path, "a.sqlite", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)")
    empty = a_file(tmp_path, "b.sqlite", "CREATE TABLE t (x)")
    closed: list[str] = []

    def opener(name: str, place: str) -> Opened:
        opened = Opened(open_filled(place))
        close = opened.database.close

        def close_and_note() -> None:
            closed.append(name)
            close()

        monkeypatch.setattr(opened.database, "close", close_and_note)
        return opened

    with pytest.raises(UserError, match=r"empty tables \(t\)"):
        open_databases({"ward": good, "empty": empty}, opener)
    assert closed == ["ward"]
