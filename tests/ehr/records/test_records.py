"""Every map reads the records of its layout, on every engine, with the kinds' types."""

import shutil
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cases import for_each
from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.hospitals import KEPT_OPEN, hospital_file
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Dialect, open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.hospital.patient_record import patient_record
from wardround.ehr.records import (
    RecordMap,
    Role,
    load_map,
    packaged_maps,
    parse_map,
    published_map,
    record_kinds,
    record_map,
    view,
)
from wardround.ehr.records.map_file import maps_for
from wardround.ehr.schema import difference, load_schema

LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv_star", "mimic_iv", "mimic_iii", "eicu", "omop_5_4")
ENDINGS: dict[Dialect, str] = {"duckdb": "duckdb", "sqlite": "sqlite"}


def database(layout: str, dialect: Dialect = "duckdb") -> Database:
    return _database(layout, dialect)


@cache
def _database(layout: str, dialect: Dialect) -> Database:
    opened = open_database(hospital_file(layout, 8, seed=3, ending=ENDINGS[dialect]))
    return KEPT_OPEN.enter_context(closing(opened))


def rows(layout: str, kind: str, dialect: Dialect = "duckdb") -> list[tuple[Any, ...]]:
    records = load_records(layout)
    sql = view(records, kind, dialect)
    return [tuple(row) for row in database(layout, dialect).execute(sql, rows=None).rows]


@cache
def load_records(layout: str) -> RecordMap:
    records = record_map(columns_of(database(layout)))
    assert records
    return records


def columns_of(of: Database) -> dict[str, list[str]]:
    return {table: [column.name for column in of.columns(table)] for table in of.tables()}


# Released apart from the other tables, which alone the hospital builds here.
APART = {("mimic_iv", "note")}
CASES = [
    (layout, kind)
    for layout in LAYOUTS
    for kind in record_kinds()
    if load_map("ehrsql_mimic_iv" if layout == "mimic_iv_star" else layout).has(kind)
    and (layout, kind) not in APART
]
# Kinds that the hospital leaves empty: its vocabulary, and notes, which are written on request.
EMPTY = {"note", "synonym", "class"}
# Columns that it leaves empty: outpatient visits have no events, and tests no ICU stay or comment.
UNFILLED = {
    "mimic_iv": {("lab", "comment")},
    "omop_5_4": {
        *((kind, "visit") for kind in ("diagnosis", "procedure", "drug", "lab", "vital")),
        ("diagnosis", "finish"),
        ("death", "name"),
        ("lab", "stay"),
        ("allergy", "visit"),
    },
}


@for_each(CASES)
def test_records_have_the_types_of_their_kind(layout: str, kind: str) -> None:
    found = rows(layout, kind)
    assert bool(found) == (kind not in EMPTY)
    types = record_kinds()[kind].columns
    for at, name in enumerate(load_records(layout).columns(kind)):
        cells = [row[at] for row in found]
        empty = kind in EMPTY or (kind, name) in UNFILLED.get(layout, ())
        assert any(cell is not None for cell in cells) != empty, name
        assert all(fits(types[name], cell) for cell in cells if cell is not None), name


@for_each(case for case in CASES if case[0] in ("mimic_iv", "omop_5_4"))
def test_records_are_the_same_on_each_engine(layout: str, kind: str) -> None:
    assert_same_on_each_engine(layout, kind)


@pytest.mark.slow
@for_each(CASES)
def test_records_of_every_layout_are_the_same_on_each_engine(layout: str, kind: str) -> None:
    assert_same_on_each_engine(layout, kind)


def assert_same_on_each_engine(layout: str, kind: str) -> None:
    on_duckdb, on_sqlite = (rows(layout, kind, engine) for engine in ENDINGS)
    assert sorted(map(plain, on_duckdb)) == sorted(map(plain, on_sqlite))


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
    assert records.written[Role("cost", "name")]["drug"] == ("medicationorders",)
    charged = {row[records.columns("cost").index("name")] for row in rows("mimic_iv_star", "cost")}
    assert charged == {
        text
        for meaning in ("diagnosis", "procedure", "drug", "lab")
        for text in records.written[Role("cost", "name")][meaning]
    }


# What OMOP keeps of the same hospital. It loses the ends of what goes on, doses and the causes of
# those that were not given, cultures, fluids, flags of results, language, insurance and marital
# status; codes have the dots of their vocabulary, and races are concepts.
KEPT = {
    "patient": ("patient", "death"),
    "admission": ("patient", "admission", "time", "type", "source", "destination"),
    "icu": ("patient", "admission", "stay", "time", "name"),
    "transfer": ("patient", "admission", "time", "name", "type"),
    "death": ("patient",),
    "diagnosis": ("patient", "admission", "code", "name"),
    "procedure": ("patient", "admission", "code", "name"),
    "drug": ("patient", "admission", "time", "name", "route"),
    "lab": ("patient", "admission", "time", "code", "name", "value", "text", "unit", "low", "high"),
    "vital": ("patient", "admission", "stay", "time", "code", "name", "value", "text", "unit"),
    "administration": ("patient", "admission", "time", "name"),
}


@for_each(KEPT.items())
def test_omop_has_the_records_of_the_same_hospital_in_mimic_iv(
    kind: str, names: tuple[str, ...]
) -> None:
    published, omop = (chosen(layout, kind, names) for layout in ("mimic_iv", "omop_5_4"))
    assert published
    assert omop == published


def chosen(layout: str, kind: str, names: tuple[str, ...]) -> list[list[str]]:
    """Some columns of a kind's records, sorted; doses that were not given are left out."""
    columns = load_records(layout).columns(kind)
    found = [dict(zip(columns, row, strict=True)) for row in rows(layout, kind)]
    given = [row for row in found if row.get("status") != "Not Given"]
    return sorted([written(name, row[name]) for name in names] for row in given)


def written(name: str, cell: object) -> str:
    """A cell to compare: a code without its dot."""
    return str(cell).replace(".", "") if name == "code" else str(cell)


@pytest.fixture(scope="module")
def small_omop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("omop") / "later.duckdb"
    build_hospital(path, patients=3, seed=3, schema="omop", tables=["measurement"])
    return path


def test_omop_5_3_has_the_stays_of_5_4(small_omop: Path) -> None:
    path = small_omop.with_name("earlier.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"ATTACH '{small_omop}' AS later (READ_ONLY)")
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            columns = ", ".join(earlier_columns(table))
            connection.execute(f"CREATE TABLE {table} AS SELECT {columns} FROM later.{table}")
    with closing(open_database(str(path))) as earlier, closing(open_database(small_omop)) as later:
        found = [record_map(columns_of(each)) for each in (earlier, later)]
        old, new = (each for each in found if each)
        assert (old.layout, new.layout) == ("omop_5_3", "omop_5_4")
        assert old.columns("admission") == new.columns("admission")
        for kind in ("admission", "lab"):
            in_old = earlier.execute(view(old, kind, "duckdb"), rows=None).rows
            in_new = later.execute(view(new, kind, "duckdb"), rows=None).rows
            assert in_old
            assert sorted(map(str, in_old)) == sorted(map(str, in_new))


def earlier_columns(table: str) -> list[str]:
    """The columns of a table of OMOP 5.4 under the names of 5.3."""
    old, new = (load_schema(name) for name in ("omop_5_3", "omop_5_4"))
    names = {t.name: [column.name for column in t.columns] for t in old.tables}
    changes = difference(new, names)
    gone = [column for of, column in changes.missing_columns if of == table]
    come = [column for of, column in changes.other_columns if of == table]
    before = dict(zip(gone, come, strict=True)) if come else {}
    columns = [column.name for column in new.table(table).columns]
    kept = [column for column in columns if column not in gone or come]
    return [f"{column} AS {before.get(column, column)}" for column in kept]


def test_omop_with_looser_types_has_the_same_tests(small_omop: Path) -> None:
    """Source values that are numbers, times that are dates, numbers that are text."""
    loose = {
        "measurement_source_value": "BIGINT",
        "measurement_datetime": "DATE",
        "range_low": "VARCHAR",
    }
    casts = ", ".join(f"CAST({name} AS {type}) AS {name}" for name, type in loose.items())
    path = small_omop.with_name("loose.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"ATTACH '{small_omop}' AS strict (READ_ONLY)")
        for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            chosen_columns = f"* REPLACE ({casts})" if table == "measurement" else "*"
            connection.execute(
                f"CREATE TABLE {table} AS SELECT {chosen_columns} FROM strict.{table}"
            )
    found = []
    for location in (path, small_omop):
        with closing(open_database(str(location))) as opened:
            records = record_map(columns_of(opened))
            assert records
            names = ("record", "code", "name", "value", "unit")
            lab = view(records, "lab", "duckdb", names)
            found.append(sorted(map(str, opened.execute(lab, rows=None).rows)))
    assert found[0]
    assert found[0] == found[1]


def test_omop_names_a_diagnosis_by_its_standard_concept_and_codes_it_by_the_source(
    tmp_path: Path,
) -> None:
    path = tmp_path / "standard.duckdb"
    build_hospital(path, patients=3, seed=3, schema="omop", tables=["condition_occurrence"])
    names = ("record", "code", "system", "name")
    before = diagnoses(path, names)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "INSERT INTO concept SELECT * REPLACE (7 AS concept_id, 'Illness' AS concept_name, "
            "'SNOMED' AS vocabulary_id, '39104002' AS concept_code) FROM concept LIMIT 1"
        )
        connection.execute("UPDATE condition_occurrence SET condition_concept_id = 7")
    assert before
    assert diagnoses(path, names) == [(*row[:3], "Illness") for row in before]
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE condition_occurrence SET condition_source_concept_id = 0")
    assert {row[1:] for row in diagnoses(path, names)} == {("39104002", "SNOMED", "Illness")}


def diagnoses(path: Path, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    with closing(open_database(str(path))) as opened:
        records = record_map(columns_of(opened))
        assert records
        read = opened.execute(view(records, "diagnosis", "duckdb", names), rows=None).rows
    return sorted(tuple(row) for row in read)


def test_a_visit_that_does_not_exist_is_no_stay(small_omop: Path) -> None:
    path = small_omop.with_name("dangling.duckdb")
    shutil.copy(small_omop, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute("DELETE FROM visit_occurrence")
    with closing(open_database(str(path))) as cut:
        records = record_map(columns_of(cut))
        assert records
        sql = f"SELECT COUNT(*), COUNT(admission) FROM ({view(records, 'lab', 'duckdb')}) AS lab"
        [(tests, with_stay)] = cut.execute(sql).rows
    assert tests
    assert with_stay == 0


def test_allergies_of_omop_are_those_of_the_people() -> None:
    people = [patient_record(3, index).person for index in range(8)]
    known = {
        (someone.subject_id, f"Allergy to {allergy.substance}")
        for someone in people
        for allergy in someone.allergies
    }
    columns = load_records("omop_5_4").columns("allergy")
    at = [columns.index(name) for name in ("patient", "name")]
    assert known
    assert {tuple(row[n] for n in at) for row in rows("omop_5_4", "allergy")} == known


def test_tables_without_a_header_hold_no_records() -> None:
    columns = columns_of(database("omop_5_4"))
    for name in ("death", "visit_detail", "note", "care_site"):
        columns[name] = [f"column{number}" for number in range(len(columns[name]))]
    records = record_map(columns)
    assert records
    absent = [("death", ""), ("icu", ""), ("note", ""), ("patient", "death"), ("vital", "stay")]
    assert not any(records.has(kind, column) for kind, column in absent)
    assert records.has("vital", "value")
    database("omop_5_4").execute(view(records, "vital", "duckdb"))


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


def test_a_layout_has_one_map_but_for_its_releases() -> None:
    assert len({load_map(name).layout for name in packaged_maps()}) == len(packaged_maps()) - 2


def test_maps_of_other_layouts_are_not_parsed() -> None:
    maps_for.cache_clear()
    load_map.cache_clear()
    layouts = [each.layout for each in maps_for("mimic_iv")]
    assert (layouts, load_map.cache_info().currsize) == (["mimic_iv", "mimic_iv"], 2)
    assert maps_for("none") == ()


def test_tables_of_no_layout_have_no_published_map() -> None:
    assert published_map({"own": ["id", "name"]}) is None


SPLIT = """
[diagnosis]
from = "dx"
columns = { patient = "who", record = "no", code = { sql = "codes", split = "|" } }

[output]
from = "dx"
columns = { patient = "who", value = { sql = "no", unit = "mL" } }
"""


@pytest.mark.parametrize("engine", [pytest.param(name, marks=needs(name)) for name in ENGINES])
def test_each_code_of_a_cell_is_a_record_with_its_unit(engine: Dialect, tmp_path: Path) -> None:
    tables = [
        "CREATE TABLE dx (no INTEGER, who INTEGER, codes TEXT)",
        """INSERT INTO dx VALUES (1, 7, '428.0| I50.9'), (2, 7, 'a"b\\c'), (3, 7, '')""",
        "INSERT INTO dx VALUES (4, 7, NULL)",
    ]
    records = parse_map(SPLIT, "own.toml")
    with (
        made_database(engine, tmp_path, tables) as location,
        closing(open_database(location)) as made,
    ):
        codes = view(records, "diagnosis", engine, ("record", "code"))
        found = made.execute(f"{codes} ORDER BY 1, 2").rows
        without = made.execute(view(records, "diagnosis", engine, ("record",))).rows
        volumes = made.execute(view(records, "output", engine)).rows
    assert [tuple(row) for row in found] == [
        (1, "428.0"),
        (1, "I50.9"),
        (2, 'a"b\\c'),
        (3, None),
        (4, None),
    ]
    assert len(without) == len(volumes) == 4
    assert records.columns("output") == ("patient", "value", "unit")
    assert {row[2] for row in volumes} == {"mL"}


def test_the_least_exact_source_says_how_exactly_times_are_known() -> None:
    exact, vague = (
        f'[[lab]]\nfrom = "a"\ncolumns = {{ patient = "p", time = {time} }}\n'
        for time in ('"t"', '{ sql = "t", precision = "day" }')
    )
    for text in (exact + vague, vague + exact):
        assert parse_map(text, "own.toml").precisions("lab") == {"time": "day"}
    assert parse_map(exact, "own.toml").precisions("lab") == {}


CHANGED = 'layout = "ours"\n\n[lab]\nfrom = "results"\n'
WRONG = [
    ("[lab", "is not TOML"),
    ('[bed]\nfrom = "beds"', "line 1: 'bed' is not a kind of record"),
    ('lab = "results"', "line 1: 'lab' must be a table"),
    ("[lab]\ncolumns = {}", "line 1: 'lab' names no tables"),
    (f'{CHANGED}columns = {{ colour = "x" }}', "line 5: 'lab' has no column 'colour'"),
    (f'{CHANGED}columns = {{ value = "a +" }}', "line 5: 'a +' is not SQL"),
    (f'{CHANGED}columns = {{ value = "b.x" }}', "line 5: b.x is of no table in its from"),
    (f'{CHANGED}\n[lab.columns]\nvalue = "x"\ntime = 3', "line 8: 'time' must be an expression"),
    (f'{CHANGED}columns = {{ time = {{ offset = "m", start = "b" }} }}', "start 'b' is not in"),
    (f'{CHANGED}columns = {{ time = {{ sql = "t", precision = "week" }} }}', "'week' is not one"),
    (f'{CHANGED}one_per = "stay"', "line 5: 'lab' has no column 'stay'"),
    (f"{CHANGED}colour = 1", "line 5: 'colour' is not a setting of a kind"),
    ('[lab]\nfrom = "a JOIN"', "line 2: 'a JOIN' is no FROM clause"),
    ('[lab]\nfrom = "a WHERE 1 = 1"', "line 2: 'a WHERE 1 = 1' is no FROM clause"),
    ('[lab]\nfrom = "(SELECT 1 AS b) a"', "is no FROM clause"),
    ('[lab]\nfrom = "a"\ncolumns = "b"', "line 3: 'columns' must be a table"),
    ('[lab]\nfrom = "a"\nwhere = 3', "line 3: 'where' must be a text in quotes"),
    ('[lab]\nfrom = "a"\none_per = ["b"]', "line 3: 'one_per' must be a text in quotes"),
    ('[lab]\nfrom = "a"\nwide = 3', "line 3: 'wide' must be a table"),
    ('[lab]\nfrom = "a"\nunits = { b = 3 }', "'b' must be a text in quotes"),
    (f'{CHANGED}columns = {{ value = {{ sql = "v", unit = 3 }} }}', "must be a text in quotes"),
    (f'{CHANGED}columns = {{ code = {{ sql = "v", split = 3 }} }}', "must be a text in quotes"),
    (
        '[diagnosis]\nfrom = "a"\none_per = "patient"\n'
        'columns = { patient = "p", code = { sql = "c", split = "," } }',
        "line 4: a cell is not split where rows are put together",
    ),
    (
        '[lab]\nfrom = "a JOIN b ON b.x = c.x JOIN c ON c.y = b.y"',
        "line 2: the join of b needs c, which follows",
    ),
    ('[lab]\nfrom = "a"\n[lab]\nfrom = "b"', "Cannot declare ('lab',) twice (at line 3"),
    ("starts = 3", "line 1: 'starts' must be a table"),
    ("[starts]\nunit = 3", "line 2: 'unit' must be a text in quotes"),
    ("written = 1", "line 1: 'written' must be a table"),
    ('[written]\n"patient.sex" = 1', "line 2: 'patient.sex' must be a table"),
    ('[written."patient.sex"]\nfemale = 3', "line 2: 'female' must be a list of texts"),
    ('of = "none"', "line 1: there is no map 'none' to change"),
    ('[written."lab.colour"]', "'lab.colour' is not a column"),
]


@for_each(WRONG)
def test_a_wrong_map_is_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=r"map\.toml") as error:
        parse_map(text, "map.toml")
    assert message in str(error.value)
    assert str(error.value).count("\n") == 0
