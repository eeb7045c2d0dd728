"""Records of a file that cannot be read: each is found, counted and kept with its line."""

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import chain, islice, tee
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.ehr.ingest.release.csv_reader import faulty_sql
from wardround.ehr.ingest.release.layout import Source
from wardround.ehr.ingest.release.record_count import physical_lines

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_A_TIME = 1000

# What DuckDB calls a fault, in a user's words.
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

# A record with a wrong value is numbered among those of the right form only: the others before it
# are added.
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
    """A record that cannot be read.

    Attributes:
        line: The line of the file on which it begins; the header is line 1.
        reason: What is wrong with it.
        text: The record.
    """

    line: int
    reason: str
    text: str


def write_faults(lake: "DuckDBPyConnection", source: Source, path: Path) -> int:
    """Write a file's faulty records to a CSV file of line, reason and text; how many they are.

    They pass through memory a few at a time. Where there are none, no file is left.

    Raises:
        duckdb.Error: If the file cannot be read at all.
    """
    path.unlink(missing_ok=True)
    faults = _faults(lake, source)
    if (first := next(faults, None)) is None:
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(field.name for field in fields(Fault))
        for count, fault in enumerate(chain([first], faults), start=1):  # noqa: B007
            writer.writerow(astuple(fault))
    return count


def first_faults(path: Path, count: int) -> list[Fault]:
    """The first faults of a file that `write_faults` made."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows)
        return [Fault(int(line), reason, text) for line, reason, text in islice(rows, count)]


def _faults(lake: "DuckDBPyConnection", source: Source) -> Iterator[Fault]:
    lake.execute(f"CREATE OR REPLACE TEMP TABLE faulty_values AS {faulty_sql(source)}")
    lake.execute(_FORMS_SQL)
    lake.execute(_RECORDS_SQL)
    records, spans = tee(_rows(lake))
    lines = physical_lines(source, ((number, lines) for number, _, _, lines in spans))
    for (_, reason, text, taken), line in zip(records, lines, strict=True):
        yield Fault(line, _with_lines(reason, taken), text)


def _with_lines(reason: str, lines: int) -> str:
    """A broken quote takes in the lines up to the next quote."""
    if "quote" not in reason or lines <= 1:
        return reason
    return f"{reason}, which takes in {lines - 1:,} lines after it"


def _rows(lake: "DuckDBPyConnection") -> Iterator[tuple[int, str, str, int]]:
    while rows := lake.fetchmany(_AT_A_TIME):
        yield from rows
