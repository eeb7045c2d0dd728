"""Discovery of a release's files in a folder: plain or gzip, any case, complete or partial."""

import csv
import gzip
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from wardround.core.errors import UserError
from wardround.ehr.ingest.release.release_match import check_release
from wardround.ehr.schema import Schema, Table

_CSV = re.compile(r"(?P<table>[^.]+)\.csv(\.gz)?", re.IGNORECASE)
_GZIP_MAGIC = b"\x1f\x8b"
_LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class TableFile:
    """The file of one table.

    Attributes:
        label: Its path within the folder, for messages.
        packed: True if compressed with gzip.
        header: The columns in file order, in lower case.
        line_end: The line terminator of its header.
        bytes: The size on disk.
    """

    table: Table
    path: Path
    label: str
    packed: bool
    header: tuple[str, ...]
    line_end: str
    bytes: int

    @property
    def missing(self) -> tuple[str, ...]:
        """Columns of the table missing from the file."""
        return tuple(c.name for c in self.table.columns if c.name not in self.header)

    @property
    def additional(self) -> tuple[str, ...]:
        """Columns of the file outside the table."""
        expected = {column.name for column in self.table.columns}
        return tuple(name for name in self.header if name not in expected)


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of a release in a folder.

    Attributes:
        sources: The table files, in the order of the schema.
        missing: Tables of the schema without a file.
        others: CSV files outside the schema.
    """

    sources: tuple[TableFile, ...]
    missing: tuple[str, ...]
    others: tuple[str, ...]


def find_sources(schema: Schema, folder: Path) -> ReleaseFiles:
    """Find the files of a release in a folder and its subfolders.

    Compression is detected by content, not by name.

    Raises:
        UserError: If the folder is missing, holds no table or another release, a table has two
            files, or a file has no valid header.
    """
    if not folder.is_dir():
        fault = "is a file" if folder.exists() else "does not exist"
        raise UserError(f"Folder {folder} {fault}; name the folder of the CSV files.")
    files, others = _by_table(schema, folder)
    if not files:
        example = schema.tables[0]
        raise UserError(
            f"Folder {folder} holds no table of {schema.name}; name the folder with "
            f"{Path(example.module, example.name)}.csv or .csv.gz."
        )
    sources = tuple(
        _source(table, files[table.name], folder) for table in schema.tables if table.name in files
    )
    check_release(schema, folder, ((source.table.name, source.header) for source in sources))
    return ReleaseFiles(
        sources=sources,
        missing=tuple(table.name for table in schema.tables if table.name not in files),
        others=others,
    )


def unpacked(raw: BinaryIO, *, packed: bool) -> BinaryIO:
    """The decompressed content of an open file."""
    return cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if packed else raw


def _by_table(schema: Schema, folder: Path) -> tuple[dict[str, Path], tuple[str, ...]]:
    tables = {table.name for table in schema.tables}
    files: dict[str, Path] = {}
    others = []
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        name = _CSV.fullmatch(path.name)
        if name is None or not path.is_file():
            continue
        table = name["table"].lower()
        if table not in tables:
            others.append(path.relative_to(folder).as_posix())
        elif table in files:
            raise UserError(f"Table {table} has two files, {files[table]} and {path}; keep one.")
        else:
            files[table] = path
    return files, tuple(others)


def _source(table: Table, path: Path, folder: Path) -> TableFile:
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
            raw.seek(0)
            first = unpacked(raw, packed=packed).readline(_LONGEST_HEADER)
    except (OSError, EOFError) as error:
        raise UserError(f"File {path} cannot be read ({error}); get it again.") from error
    line = first.decode("utf-8-sig", errors="replace")
    header = tuple(name.strip().lower() for name in next(csv.reader([line]), []))
    _check_header(table, path, header)
    return TableFile(
        table=table,
        path=path,
        label=path.relative_to(folder).as_posix(),
        packed=packed,
        header=header,
        line_end="\r\n" if line.endswith("\r\n") else "\n",
        bytes=path.stat().st_size,
    )


def _check_header(table: Table, path: Path, header: tuple[str, ...]) -> None:
    if not {column.name for column in table.columns} & set(header):
        raise UserError(
            f"File {path} has no header: its first line names no column of {table.name}; "
            f"it should begin with {','.join(column.name for column in table.columns[:3])}."
        )
    if duplicate := _duplicate(header):
        raise UserError(f"File {path} has column {duplicate} twice; rename one of them.")


def _duplicate(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)
