"""Unreadable records of a file, reported with line number and reason."""

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import chain, islice, tee
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.private_files import make_folder, open_private
from wardround.ehr.ingest.release.csv_reader import faulty_sql
from wardround.ehr.ingest.release.record_count import physical_lines
from wardround.ehr.ingest.release.release_files import TableFile

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_BATCH = 1000

# Malformed records, with explanations of DuckDB's error types.
_FORMS_SQL = """
CREATE OR REPLACE TEMP TABLE forms AS
SELECT line - 1 AS number, row_number() OVER (ORDER BY line) AS rank, first(csv_line) AS text,
    first(CASE error_type
        WHEN 'MISSING COLUMNS' THEN 'too few fields'
        WHEN 'TOO MANY COLUMNS' THEN 'too many fields'
        WHEN 'UNQUOTED VALUE' THEN 'a quote is not closed or not doubled'
        WHEN 'INVALID ENCODING' THEN 'not UTF-8'
        WHEN 'LINE SIZE OVER MAXIMUM' THEN 'longer than two million bytes'
        ELSE lower(error_type)
    END ORDER BY column_idx) AS reason
FROM reject_errors GROUP BY line
"""

# Records with a wrong value are numbered among the well-formed ones; adding the malformed ones
# before them gives the number in the file.
_RECORDS_SQL = """
WITH before AS (SELECT number - rank AS others, max(rank) AS rank FROM forms GROUP BY 1)
SELECT number, reason, text,
    len(rtrim(text, chr(10))) - len(replace(text, chr(10), '')) + 1 AS lines
FROM forms
UNION ALL
SELECT v.number + coalesce(before.rank, 0), v.fault, v.text, 0
FROM faulty_values v ASOF LEFT JOIN before ON v.number > before.others
ORDER BY 1
"""


@dataclass(frozen=True)
class Fault:
    """An unreadable record.

    Attributes:
        line: Its first line in the file; the header is line 1.
        reason: The problem.
        text: The record.
    """

    line: int
    reason: str
    text: str


def write_faults(connection: "DuckDBPyConnection", source: TableFile, path: Path) -> int:
    """Write a file's faulty records to a CSV file of line, reason and text; returns their number.

    Streams the records; writes no file if there are none.

    Raises:
        duckdb.Error: If the file cannot be read at all.
    """
    path.unlink(missing_ok=True)
    faults = _faults(connection, source)
    if (first := next(faults, None)) is None:
        return 0
    make_folder(path.parent)
    with open_private(path, "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(field.name for field in fields(Fault))
        for count, fault in enumerate(chain([first], faults), start=1):  # noqa: B007
            writer.writerow(astuple(fault))
    return count


def first_faults(path: Path, count: int) -> list[Fault]:
    """The first faults of a file written by `write_faults`."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows)
        return [Fault(int(line), reason, text) for line, reason, text in islice(rows, count)]


def _faults(connection: "DuckDBPyConnection", source: TableFile) -> Iterator[Fault]:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE faulty_values AS {faulty_sql(source)}")
    connection.execute(_FORMS_SQL)
    connection.execute(_RECORDS_SQL)
    records, spans = tee(_rows(connection))
    lines = physical_lines(source, ((number, lines) for number, _, _, lines in spans))
    for (_, reason, text, span), line in zip(records, lines, strict=True):
        yield Fault(line, _with_lines(reason, span), text)


def _with_lines(reason: str, lines: int) -> str:
    """The reason, with the number of lines that a broken quote swallows."""
    if "quote" not in reason or lines <= 1:
        return reason
    return f"{reason}, which takes in {lines - 1:,} lines after it"


def _rows(connection: "DuckDBPyConnection") -> Iterator[tuple[int, str, str, int]]:
    while rows := connection.fetchmany(_BATCH):
        yield from rows
