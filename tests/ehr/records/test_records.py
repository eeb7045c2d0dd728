"""Every map reads the records of its layout, on every engine, with the kinds' types."""

from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.records import (
    RecordMap,
    load_map,
    packaged_maps,
    parse_map,
    record_kinds,
    record_map,
    view,
)
from wardround.ehr.times import Dialect

FOLDER = TemporaryDirectory()
LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv_star", "mimic_iv", "mimic_iii", "eicu")
ENDINGS: dict[Dialect, str] = {"duckdb": "duckdb", "sqlite": "sqlite"}


def database(layout: str, dialect: Dialect = "duckdb") -> Database:
    return _database(layout, dialect)


@cache
def _database(layout: str, dialect: Dialect) -> Database:
    path = Path(FOLDER.name) / f"{layout}.{ENDINGS[dialect]}"
    build_hospital(path, patients=8, seed=3, schema=layout)
    return open_database(str(path))


def rows(layout: str, kind: str, dialect: Dialect = "duckdb") -> list[tuple[Any, ...]]:
    records = load_records(layout)
    sql = view(records, kind, dialect)
    return [tuple(row) for row in database(layout, dialect).execute(sql, rows=None).rows]


def load_records(layout: str) -> RecordMap:
    records = record_map(columns_of(database(layout)))
    assert records
    return records


def columns_of(of: Database) -> dict[str, list[str]]:
    return {table: [column.name for column in of.columns(table)] for table in of.tables()}


CASES = [
    pytest.param(layout, kind, id=f"{layout}.{kind}")
    for layout in LAYOUTS
    for kind in record_kinds()
    if load_map("ehrsql_mimic_iv" if layout == "mimic_iv_star" else layout).has(kind)
]
# Kinds that the hospital leaves empty: its notes are written on request.
EMPTY = {"note"}


@pytest.mark.parametrize(("layout", "kind"), CASES)
def test_records_have_the_types_of_their_kind_on_each_engine(layout: str, kind: str) -> None:
    found = rows(layout, kind)
    assert bool(found) == (kind not in EMPTY)
    assert sorted(map(plain, found)) == sorted(map(plain, rows(layout, kind, "sqlite")))
    types = record_kinds()[kind].columns
    for at, name in enumerate(load_records(layout).columns(kind)):
        cells = [row[at] for row in found]
        assert any(cell is not None for cell in cells) or kind in EMPTY, name
        assert all(fits(types[name], cell) for cell in cells if cell is not None), name


def plain(row: tuple[Any, ...]) -> list[str]:
    """A row to compare: engines differ in whether a whole number is an int."""
    return [repr(float(cell) if isinstance(cell, int) else cell) for cell in row]


def fits(type: str, cell: object) -> bool:
    if type == "number":
        return isinstance(cell, int | float)
    if type == "time":
        return bool(datetime.fromisoformat(str(cell)))
    return isinstance(cell, str | int)


@pytest.mark.parametrize("kind", ["patient", "admission", "icu", "diagnosis", "drug", "lab"])
def test_renamed_records_are_those_of_the_original(kind: str) -> None:
    assert sorted(rows("mimic_iv_star", kind)) == sorted(rows("ehrsql_mimic_iv", kind))


def test_a_renaming_renames_the_texts_that_refer_to_tables() -> None:
    records = load_records("mimic_iv_star")
    assert records.texts("cost", "name", "drug") == ("medicationorders",)
    charged = {row[records.columns("cost").index("name")] for row in rows("mimic_iv_star", "cost")}
    assert charged == {
        text
        for meaning in ("diagnosis", "procedure", "drug", "lab")
        for text in records.texts("cost", "name", meaning)
    }


def test_times_of_eicu_count_from_the_unit_stay() -> None:
    sql = "SELECT unitdischargeoffset FROM patient ORDER BY patientunitstayid"
    offsets = [row[0] for row in database("eicu").execute(sql, rows=None).rows]
    columns = load_records("eicu").columns("icu")
    at, until, stay = (columns.index(name) for name in ("time", "finish", "stay"))
    stays = sorted(rows("eicu", "icu"), key=lambda row: row[stay])
    lengths = [datetime.fromisoformat(r[until]) - datetime.fromisoformat(r[at]) for r in stays]
    assert [length.total_seconds() / 60 for length in lengths] == offsets


def test_what_a_database_lacks_is_left_out() -> None:
    columns = columns_of(database("eicu"))
    del columns["hospital"]
    columns["lab"].remove("labresulttext")
    columns["microlab"].remove("patientunitstayid")
    records = record_map(columns)
    assert records
    left_out = [("icu", "region"), ("lab", "text"), ("culture", ""), ("hospital", "")]
    assert not any(records.has(kind, column) for kind, column in left_out)
    assert all(records.has(kind, column) for kind, column in [("icu", "name"), ("lab", "value")])
    database("eicu").execute(view(records, "icu", "duckdb"))


def test_the_release_of_2024_has_no_versions_of_codes() -> None:
    columns = columns_of(database("ehrsql_mimic_iv"))
    for table in ("diagnoses_icd", "d_icd_diagnoses", "procedures_icd", "d_icd_procedures"):
        columns[table].remove("icd_version")
    records = record_map(columns)
    assert records
    assert records.has("diagnosis", "code")
    assert not records.has("diagnosis", "system")


def test_the_layouts_are_in_maps_once() -> None:
    assert len({load_map(name).layout for name in packaged_maps()}) == len(packaged_maps()) - 1


CHANGED = 'layout = "ours"\n\n[lab]\nfrom = "results"\n'
WRONG = [
    ("[lab", "is not TOML"),
    ('[bed]\nfrom = "beds"', "line 1: 'bed' is no kind of record"),
    ('lab = "results"', "line 1: 'lab' must be a table"),
    ("[lab]\ncolumns = {}", "line 1: 'lab' names no tables"),
    (f'{CHANGED}columns = {{ colour = "x" }}', "line 5: 'lab' has no column 'colour'"),
    (f'{CHANGED}columns = {{ value = "a +" }}', "line 5: 'a +' is not SQL"),
    (f'{CHANGED}columns = {{ value = "b.x" }}', "line 5: b.x is of no table in its from"),
    (f'{CHANGED}\n[lab.columns]\nvalue = "x"\ntime = 3', "line 8: 'time' must be an expression"),
    (f'{CHANGED}columns = {{ time = {{ offset = "m", start = "b" }} }}', "start 'b' is not in"),
    (f'{CHANGED}columns = {{ time = {{ sql = "t", precision = "week" }} }}', "'week' is not one"),
    (f'{CHANGED}one_per = "stay"', "line 5: 'lab' has no column 'stay'"),
    (f"{CHANGED}colour = 1", "line 5: 'colour' is no setting of a kind"),
    ('[lab]\nfrom = "a JOIN"', "line 2: 'a JOIN' is no FROM clause"),
    ('of = "none"', "line 1: there is no map 'none' to change"),
    ('[written."lab.colour"]', "'lab.colour' is no column"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_wrong_map_is_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=r"map\.toml") as error:
        parse_map(text, "map.toml")
    assert message in str(error.value)
    assert str(error.value).count("\n") == 0
