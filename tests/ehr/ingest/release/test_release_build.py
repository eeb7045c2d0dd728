"""Building databases from releases: layouts, faults, completeness, no overwriting."""

import csv
import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ehr.ingest.release.conftest import HEADER, ROWS, SCHEMA, VISITS, Builder
from tests.ehr.layouts import LAYOUTS
from wardround.core.errors import UserError
from wardround.ehr.database import write_database
from wardround.ehr.ingest.release import (
    LoadedTable,
    build,
    find_sources,
    first_faults,
    missing_tables,
)
from wardround.ehr.schema import Column, Schema, Table, load_schema

READ = [
    (1, 'east, "new"', "2100-01-02", "2100-01-02 03:04:05", 70.5),
    (2, None, None, None, None),
]
VISITS_SQL = (
    "SELECT visit_id, ward, CAST(day AS VARCHAR), CAST(came AS VARCHAR), weight FROM visits"
    " ORDER BY visit_id"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("visits.csv", HEADER + ROWS),
        ("HOSP/VISITS.CSV", HEADER.upper() + ROWS),
        ("hosp/visits.csv.gz", gzip.compress(HEADER + ROWS, mtime=0)),
        ("VISITS.csv.GZ", gzip.compress((HEADER + ROWS).replace(b"\n", b"\r\n"), mtime=0)),
        ("visits.csv.gz", HEADER + ROWS),  # a browser may decompress downloads
        ("visits.csv", b"\xef\xbb\xbf" + HEADER + ROWS.rstrip()),
        ("visits.csv", HEADER + b"\n" + ROWS + b"\n\n"),
    ],
)
def test_file_layouts_are_read(builder: Builder, name: str, content: bytes) -> None:
    builder.write(name, content)
    report = builder.build()
    assert builder.rows(VISITS_SQL) == READ
    assert report.whole
    assert report.layout.missing == ("wards",)
    assert report.version == "1.0"


def test_row_counts_are_compared_with_published_ones(builder: Builder) -> None:
    builder.write("wards.csv", b"ward\neast\n")
    builder.write("visits.csv", HEADER + ROWS)
    assert builder.build().version == "1.0"
    Path(builder.location).unlink()
    builder.write("visits.csv", HEADER + ROWS + b"3,,,,\n")
    schema = load_schema("mimic_iv")
    assert missing_tables(schema, ["labevents"], LAYOUTS).keys() == {
        "asked",
        "renamed",
        "whole",
        "partial",
    }
    assert missing_tables(schema, ["ingredientevents"], LAYOUTS).keys() == {"whole"}


def faulty_records() -> list[tuple[bytes, str]]:
    file = Path(__file__).parent / "faulty_records.txt"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return [
        (text.encode("latin-1").decode("unicode_escape").encode("latin-1"), reason)
        for text, _, reason in (line.partition(" | ") for line in lines)
    ]


def test_faulty_records_are_reported_with_their_lines_and_the_rest_is_read(
    builder: Builder,
) -> None:
    records = faulty_records() * 40
    lines, content = [], HEADER
    for number, (record, _) in enumerate(records):
        content += f'{number},"a\nb",,,\n'.encode()
        lines.append(content.count(b"\n") + 1)
        content += record + b"\n"
    builder.write("visits.csv.gz", gzip.compress(content))
    report = builder.build()
    [outcome] = report.outcomes
    assert (outcome.rows, outcome.faults, outcome.records) == (
        len(records),
        len(records),
        2 * len(records),
    )
    assert builder.rows("SELECT visit_id FROM visits ORDER BY 1") == [
        (number,) for number in range(len(records))
    ]
    assert not report.whole
    faults = first_faults(builder.faults / "visits.csv", len(lines) + 1)
    assert [(fault.line, fault.reason) for fault in faults] == [
        (line, reason) for line, (_, reason) in zip(lines, records, strict=True)
    ]
    for fault, (record, _) in zip(faults, records, strict=True):
        assert record.decode("ascii", errors="ignore")[:3] in fault.text


def test_unclosed_quote_reports_the_lines_it_swallows(builder: Builder) -> None:
    rows = b"".join(b"%d,east,,,\n" % number for number in range(2, 50))
    builder.write("visits.csv", HEADER + b'1,"east,,,\n' + rows + b'50,"west",,,\n51,,,,\n')
    [outcome] = builder.build().outcomes
    assert builder.rows("SELECT visit_id FROM visits") == [(51,)]
    [fault] = first_faults(builder.faults / "visits.csv", 9)
    assert fault.line == 2
    assert fault.reason == "a quote is not closed or not doubled, which takes in 49 lines after it"
    assert outcome.faults == 1


def test_carriage_return_outside_quotes_is_reported(builder: Builder) -> None:
    builder.write("visits.csv", HEADER + b"1,east\rern,,,\n")
    assert "carriage return" in builder.build().unreadable["visits"]


def test_violated_constraints_are_reported_and_rows_kept(builder: Builder) -> None:
    builder.write("visits.csv", HEADER + b"1,a,,,\n1,b,,,\n,c,,,\n")
    [outcome] = builder.build().outcomes
    assert outcome.rows == 3
    assert "visit_id is empty in 1 rows, and should be in none" in outcome.notes
    assert any("key (visit_id) is not unique" in note for note in outcome.notes)


def test_empty_required_columns_are_counted_each(builder: Builder) -> None:
    columns = tuple(Column(name, "INTEGER", "a number") for name in ("a", "b", "c"))
    schema = Schema("numbers", "One table.", (Table("rows", "Numbers.", columns, key=()),), {})
    builder.write("rows.csv", b"a,b,c\n1,,\n2,2,\n")
    [outcome] = builder.build(schema).outcomes
    assert outcome.notes == tuple(
        f"{name} is empty in {count} rows, and should be in none"
        for name, count in (("b", 1), ("c", 2))
    )


def test_counting_records_needs_no_numpy() -> None:
    script = "import sys, wardround.ehr.ingest.release; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_missing_and_additional_columns_are_reported(builder: Builder) -> None:
    builder.write("visits.csv", b"ward,colour,came\neast,red,2100-01-02 03:04:05\n")
    [outcome] = builder.build().outcomes
    assert builder.rows(VISITS_SQL) == [(None, "east", None, "2100-01-02 03:04:05", None)]
    missing, additional = outcome.notes
    assert "no column visit_id, day, weight" in missing
    assert "column colour" in additional


def test_truncated_file_is_reported_and_loaded_later(builder: Builder) -> None:
    packed = gzip.compress(HEADER + b"".join(b"%d,east,,,\n" % n for n in range(50_000)))
    builder.write("visits.csv.gz", packed[: len(packed) // 2])
    builder.write("wards.csv", b"ward\neast\n")
    report = builder.build()
    assert list(report.unreadable) == ["visits"]
    assert not report.whole
    builder.write("visits.csv.gz", packed)
    assert builder.build().whole
    assert builder.rows("SELECT count(*), max(visit_id) FROM visits") == [(50_000, 49_999)]


def test_damaged_file_is_distinguished_from_a_truncated_one(tmp_path: Path) -> None:
    builder = Builder(tmp_path, ".sqlite")
    packed = bytearray(gzip.compress(HEADER + ROWS, mtime=0))
    packed[-8:-4] = b"\0\0\0\0"  # its checksum
    builder.write("visits.csv.gz", bytes(packed))
    assert "damaged" in builder.build().unreadable["visits"]


def test_write_error_is_not_reported_as_a_file_error(builder: Builder) -> None:
    builder.write("wards.csv", b"ward\neast\n")
    builder.write("visits.csv", HEADER + ROWS)
    command_result: list[str] = []

    def take_the_place_of_visits(outcome: LoadedTable) -> None:
        command_result.append(outcome.table)
        target.execute("CREATE TABLE visits (other INTEGER)")

    with closing(write_database(builder.location)) as target:
        layout = find_sources(SCHEMA, builder.folder)
        with pytest.raises(UserError, match=r"visits cannot be written .* already exists"):
            build(SCHEMA, layout, target, builder.faults, on_table=take_the_place_of_visits)
    assert command_result == ["wards"]


def test_files_of_another_release_are_refused(tmp_path: Path) -> None:
    builder = Builder(tmp_path, ".sqlite")
    for name in ("patients", "admissions"):
        table = load_schema("mimic_iv").table(name)
        header = ",".join(column.name for column in table.columns)
        builder.write(f"{name}.csv", header.encode() + b"\n")
    with pytest.raises(UserError, match=r"holds mimic_iv, not mimic_iii: .* build it as mimic-iv"):
        find_sources(load_schema("mimic_iii"), builder.folder)
    assert len(find_sources(load_schema("mimic_iv"), builder.folder).sources) == 2


def test_file_instead_of_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_bytes(HEADER)
    with pytest.raises(UserError, match="is a file"):
        find_sources(SCHEMA, tmp_path / "visits.csv")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "holds no table of small"),
        ({"visits.csv": b"1,east,,,\n"}, "has no header"),
        ({"visits.csv": b""}, "has no header"),
        ({"visits.csv": b"ward,ward\n"}, "has column ward twice"),
        ({"visits.csv": HEADER, "hosp/visits.csv": HEADER}, "has two files"),
        ({"visits.csv.gz": b"\x1f\x8b\x08"}, "cannot be read"),
    ],
)
def test_folder_without_a_release_is_refused(
    tmp_path: Path, files: dict[str, bytes], message: str
) -> None:
    builder = Builder(tmp_path, ".sqlite")
    for name, content in files.items():
        builder.write(name, content)
    with pytest.raises(UserError, match=message):
        find_sources(SCHEMA, builder.folder)


def test_complete_database_is_not_rebuilt(builder: Builder) -> None:
    builder.write("visits.csv", HEADER + ROWS)
    builder.build()
    with pytest.raises(UserError, match="already exists"):
        builder.build()
    assert builder.rows(VISITS_SQL) == READ


def test_indexes_of_the_schema_are_created(tmp_path: Path) -> None:
    builder = Builder(tmp_path, ".sqlite")
    builder.write("visits.csv", HEADER + ROWS)
    builder.build()
    sql = "SELECT name FROM sqlite_master WHERE type = 'index'"
    assert builder.rows(sql) == [("visits_ward",)]
    assert "PRIMARY KEY" in str(builder.rows("SELECT sql FROM sqlite_master")[0][0])


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
RECORDS = st.lists(
    st.tuples(
        st.none() | CELLS,
        st.none() | st.dates(),
        st.none() | st.datetimes().map(lambda time: time.replace(microsecond=0)),
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=RECORDS, first=st.integers(-(2**63), 2**63 - 21))
def test_round_trip_of_any_table(
    make_builder: Callable[[], Builder],
    records: list[tuple[str | None, date | None, datetime | None, float | None]],
    first: int,
) -> None:
    rows = [(first + number, *record) for number, record in enumerate(records)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")  # carriage returns are then quoted
    writer.writerow(column.name for column in VISITS.columns)
    writer.writerows(rows)
    builder = make_builder()
    builder.write("visits.csv", text.getvalue().encode())
    report = builder.build()
    assert report.whole, report
    assert builder.rows(VISITS_SQL) == [
        (number, ward, day and str(day), came and str(came), weight)
        for number, ward, day, came, weight in rows
    ]
