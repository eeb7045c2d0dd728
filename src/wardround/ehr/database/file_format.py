"""Databases in files: how their engines differ, and fingerprints of their content."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from wardround.ehr.database.interface import Cell, ColumnInfo, Limits, QueryError

Query = Callable[[str], Sequence[tuple[Cell, ...]]]
# Device, inode, size, and times of content and of the inode, of each file.
_Stamp = tuple[tuple[int, ...], ...]
_known: dict[tuple[Path, ...], tuple[_Stamp, str]] = {}


@dataclass(frozen=True)
class FileFormat:
    """An engine that keeps a database in a file.

    Attributes:
        dialect: The SQL dialect, as sqlglot names it.
        reading: `module:function` that opens a file for reading, as `Statements`.
        writing: `module:function` that opens a private copy for writing.
        libraries: Modules that its processes need and this one does not.
        logs: Suffixes of write-ahead logs, which hold committed changes not yet in the file.
        tables: Lists tables and views, given a query function.
        columns: Lists the columns of a table by its name, given a query function and the exact
            name; perhaps with those of other tables.
    """

    dialect: str
    reading: str
    writing: str
    libraries: tuple[str, ...]
    logs: tuple[str, ...]
    tables: Callable[[Query], list[str]]
    columns: Callable[[Query, str], Mapping[str, list[ColumnInfo]]]

    def files(self, path: Path) -> tuple[Path, ...]:
        """The database file and its logs."""
        return (path, *(path.with_name(f"{path.name}{ending}") for ending in self.logs))


def check_length(sql: str, limits: Limits) -> None:
    """Refuse a statement that is too long.

    Raises:
        QueryError: If it is longer than `limits.sql_bytes`.
    """
    if len(sql.encode(errors="replace")) > limits.sql_bytes:
        message = f"The statement is longer than {limits.sql_bytes:,} bytes; write a shorter one."
        raise QueryError(message, "limit")


class FileFingerprint:
    """A hash of a database file and its logs.

    A copy has other times and the same content, so the bytes are read: about a second per gigabyte,
    once a process, and again only when the files change.
    """

    def __init__(self, files: Sequence[Path]):
        self._files = tuple(files)
        self._lock = Lock()

    def value(self) -> str:
        """The fingerprint, 32 hexadecimal digits."""
        with self._lock:
            stamp = tuple(_stamp(path) for path in self._files)
            known = _known.get(self._files)
            if known is None or known[0] != stamp:
                known = _known[self._files] = (stamp, hash_files(self._files))
            return known[1]


def hash_files(files: Sequence[Path]) -> str:
    """A hash of the content of the files that exist and are not empty, in order."""
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.exists() and path.stat().st_size:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, hashlib.blake2b).digest())
    return digest.hexdigest()


def _stamp(path: Path) -> tuple[int, ...]:
    if not path.exists():
        return ()
    status = path.stat()
    return (
        *(status.st_dev, status.st_ino, status.st_size),
        *(status.st_mtime_ns, status.st_ctime_ns),
    )
