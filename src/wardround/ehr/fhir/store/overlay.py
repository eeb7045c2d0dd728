"""The writes over a record: one SQLite connection that reads both and writes its own."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import orjson

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.private_files import create_file
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.store.rows import INSERTS, body_of, index_rows

_PACKAGE = __package__ or ""
FIRST_KEY = 1 << 40  # keys of written resources; those of the base lie below
_LOCK_SECONDS = 30.0
FOR_EVER = (1 << 63) - 1


class Version(NamedTuple):
    """A version of a resource.

    Attributes:
        key: its key in the index tables.
        updated: its time in milliseconds.
        deleted: True if the resource was deleted at that time; its body is then the last one.
    """

    key: int
    type: str
    id: str
    number: int
    updated: int
    deleted: bool
    resource: Resource


@dataclass(frozen=True, slots=True)
class RecordedDefect:
    """A defect of a version: the element, and a sentence that says what is wrong."""

    type: str
    id: str
    version: int
    path: str
    sentence: str


class Overlay:
    """A record's file and the writes over it, as one connection.

    The views of `views.sql` show what a reader sees: `resources` and an index view for each kind.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @classmethod
    def open(cls, base: Path, writes: Path | None = None) -> Self:
        """Opens a record's file with a file of writes, or with writes in memory.

        Raises:
            UserError: the file of writes belongs to another record, or holds something else.
        """
        if writes is not None and not writes.exists():
            create_file(writes)
        address = f"{writes.absolute().as_uri()}?mode=rw" if writes else ":memory:"
        connection = sqlite3.connect(
            address, timeout=_LOCK_SECONDS, uri=True, check_same_thread=False, isolation_level=None
        )
        try:
            tables = _tables(connection, writes)
            connection.execute(
                "ATTACH ? AS base", (f"{base.absolute().as_uri()}?mode=ro&immutable=1",)
            )
            _prepare(connection, base, writes, is_new=not tables)
            # Readers do not wait for a writer. Set last: it changes the file.
            connection.execute("PRAGMA main.journal_mode=WAL")
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    def set_clock(self, now: int | None) -> None:
        """Shows what is known at a time in milliseconds; None for everything."""
        value = FOR_EVER if now is None else now
        self.connection.execute("UPDATE temp.clock SET now = ? WHERE now <> ?", (value, value))

    def current(self, type: str, id: str) -> Version | None:
        """The version of a resource that readers see, or its deletion; None if there is none."""
        row = self._first_version(
            "SELECT key, type, id, version, updated, deleted, body FROM main.resource "
            "WHERE type = ? AND id = ? AND known_until IS NULL",
            (type, id),
        )
        return row or self._first_version(
            "SELECT key, type, id, version, updated, 0, body FROM resources "
            "WHERE type = ? AND id = ?",
            (type, id),
        )

    def versions(self, type: str, id: str) -> list[Version]:
        """All versions that readers may know, the newest first."""
        rows = self.connection.execute(
            "SELECT key, type, id, version, updated, deleted, body FROM main.resource "
            "WHERE type = :type AND id = :id UNION ALL "
            "SELECT key, type, id, version, updated, deleted, body FROM base.resource "
            "WHERE type = :type AND id = :id "
            "AND (known_from IS NULL OR known_from <= (SELECT now FROM clock)) "
            "AND version < coalesce((SELECT min(version) FROM main.resource "
            "WHERE type = :type AND id = :id), 1 << 40) "
            "ORDER BY version DESC",
            {"type": type, "id": id},
        )
        return [_version(row) for row in rows]

    def write(self, version: Version, zone: str) -> None:
        """Adds a version of a resource, or its deletion, in place of the one before.

        The key is given by the overlay.
        """
        self.connection.execute("SAVEPOINT write")
        try:
            self._replace(version, zone)
        except BaseException:
            self.connection.execute("ROLLBACK TO write")
            raise
        finally:
            self.connection.execute("RELEASE write")

    def _replace(self, version: Version, zone: str) -> None:
        connection = self.connection
        connection.execute(
            "UPDATE main.resource SET known_until = updated "
            "WHERE type = ? AND id = ? AND known_until IS NULL",
            (version.type, version.id),
        )
        for table in INSERTS:
            if table != "resource":
                connection.execute(
                    f"DELETE FROM main.{table} WHERE resource IN (SELECT key FROM main.resource "  # noqa: S608
                    "WHERE type = ? AND id = ?)",
                    (version.type, version.id),
                )
        key = self._next_key()
        row = (key, version.type, version.id, version.number, version.updated, version.updated)
        connection.execute(
            INSERTS["resource"], (*row, None, version.deleted, body_of(version.resource))
        )
        connection.execute(
            "INSERT OR IGNORE INTO main.written VALUES (?, ?)", (version.type, version.id)
        )
        if not version.deleted:
            for table, rows in index_rows(version.resource, key, zone).items():
                connection.executemany(INSERTS[table], rows)

    def add_defects(self, version: Version, defects: Iterable[tuple[str, str]]) -> None:
        """Names the defects of a version that was taken: an element and a sentence each."""
        named = (version.type, version.id, version.number)
        self.connection.executemany(
            "INSERT INTO main.defect VALUES (?, ?, ?, ?, ?)", ((*named, *each) for each in defects)
        )

    def defects(self) -> list[RecordedDefect]:
        """The defects of resources that were taken, those of the base first."""
        rows = self.connection.execute(
            "SELECT * FROM base.defect UNION ALL SELECT * FROM main.defect"
        )
        return [RecordedDefect(*row) for row in rows]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Writes all or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def writes(self) -> int:
        """The number of writes so far, which tells states apart."""
        count: int = self.connection.execute("SELECT count(*) FROM main.resource").fetchone()[0]
        return count

    def close(self) -> None:
        """Closes the connection; writes in memory are gone."""
        self.connection.close()

    def _next_key(self) -> int:
        return FIRST_KEY + self.writes()

    def _first_version(self, sql: str, values: tuple[object, ...]) -> Version | None:
        row = self.connection.execute(sql, values).fetchone()
        return None if row is None else _version(row)


def _version(row: tuple[int, str, str, int, int, int, bytes]) -> Version:
    key, type, id, number, updated, deleted, body = row
    return Version(key, type, id, number, updated, bool(deleted), orjson.loads(body))


def _prepare(
    connection: sqlite3.Connection, base: Path, writes: Path | None, *, is_new: bool
) -> None:
    """Makes the tables of writes where they are missing, and the views."""
    [fingerprint] = connection.execute(
        "SELECT value FROM base.meta WHERE name = 'fingerprint'"
    ).fetchone()
    if is_new:
        connection.executescript(read_text(_PACKAGE, "schema.sql"))
        connection.executescript(read_text(_PACKAGE, "indexes.sql"))
        connection.execute("INSERT INTO main.meta VALUES ('base', ?)", (fingerprint,))
    stored = connection.execute("SELECT value FROM main.meta WHERE name = 'base'").fetchone()
    if stored is None:
        raise _no_writes(writes)
    if stored != (fingerprint,):
        raise UserError(
            f"{writes} holds writes over another record than {base}; name another file."
        )
    connection.executescript(read_text(_PACKAGE, "views.sql"))
    connection.execute("INSERT INTO temp.clock VALUES (?)", (FOR_EVER,))


def _tables(connection: sqlite3.Connection, writes: Path | None) -> set[str]:
    """The tables of a file of writes, none where it is new.

    Raises:
        UserError: the file is something else.
    """
    try:
        names = {name for (name,) in connection.execute("SELECT name FROM main.sqlite_master")}
    except sqlite3.DatabaseError:
        raise _no_writes(writes) from None
    if names and "meta" not in names:
        raise _no_writes(writes)
    return names


def _no_writes(writes: Path | None) -> UserError:
    return UserError(f"{writes} holds no writes over a record; name another file.")
