"""The current time: the published one where it fits the records, else the end of the records."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wardround.ehr.database import open_database
from wardround.ehr.schema import create_statement, load_schema
from wardround.ehr.times.record_end import current_time

# All open a database.
pytestmark = pytest.mark.integration

PUBLISHED = "2100-12-31 23:59:00"
LAYOUTS = ("mimic_iv_star",)


def found(path: Path, statements: str) -> tuple[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements)
    with closing(open_database(str(path))) as database:
        now = current_time(database, PUBLISHED, LAYOUTS)
    return now.time, now.reason


def own_records(*times: str | None) -> str:
    values = ", ".join("(NULL)" if time is None else f"('{time}')" for time in times)
    return f"CREATE TABLE seen (at TIMESTAMP); INSERT INTO seen VALUES {values};"


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (("2100-03-04 05:06:07",), PUBLISHED),
        (("2100-12-31 23:59:00",), PUBLISHED),
        (("2020-01-02 03:04:05", "2101-03-04 05:06:07"), "2101-03-04 23:59:00"),
        (("2100-12-31 23:59:30",), "2100-12-31 23:59:59"),
        (("2031-05-06",), "2031-05-06 23:59:00"),
        (("2031-05-06 07:08:09.5", None, "9999-12-31 00:00:00"), "2031-05-06 23:59:00"),
        (("2031-05-06 07:08:09", "soon"), "2031-05-06 23:59:00"),
        (("31/12/2031", "2030-05-06"), PUBLISHED),
        ((None,), PUBLISHED),
    ],
    ids=[
        "in the published year",
        "at the published time",
        "later",
        "in the last minute of a day",
        "years before",
        "never and NULL are no records",
        "words are no times",
        "times in another form are not understood",
        "no time at all",
    ],
)
def test_records_of_a_schema_of_ones_own(
    times: tuple[str | None, ...], expected: str, tmp_path: Path
) -> None:
    time, reason = found(tmp_path / "own.sqlite", own_records(*times))
    assert time == expected
    assert bool(reason) == (expected != PUBLISHED)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("2011-05-06 07:08:09", PUBLISHED),
        ("2100-12-31 22:30:00", PUBLISHED),
        ("2105-05-06 07:08:09", "2105-12-31 23:59:00"),
    ],
    ids=["earlier", "to the published time", "later"],
)
def test_a_published_layout_keeps_its_time_unless_records_are_later(
    last: str, expected: str, tmp_path: Path
) -> None:
    schema = load_schema("mimic_iv_star")
    tables = ";".join(create_statement(table, "sqlite") for table in schema.tables)
    table = next(table for table in schema.tables if table.name == "costrecords")
    values = ", ".join(
        f"'{last}'" if column.type == "TIMESTAMP" else "1" for column in table.columns
    )
    script = f"{tables}; INSERT INTO costrecords VALUES ({values});"
    time, reason = found(tmp_path / "star.sqlite", script)
    assert time == expected
    assert (last in reason) == (expected != PUBLISHED)
