"""Copies of a database for people who may see some patients only."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.cases import for_each
from tests.ehr.database.engines import made_database, needs
from tests.ehr.ingest.test_patient_removal import FORMS, MARKER, hospital, spoiled
from tests.ehr.making import make_database
from tests.hospitals import built
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, open_database, write_database
from wardround.ehr.database.engine import engines
from wardround.ehr.database.interface import Cell
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy
from wardround.ehr.schema import load_schema, quoted

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow

SITE_TABLES = Path(__file__).with_name("site_tables.txt").read_text().splitlines()
ATTACKS = Path(__file__).with_name("patient_scope_attacks.txt").read_text().splitlines()
ON_A_SERVER = Path(__file__).with_name("patient_scope_server_attacks.txt").read_text().splitlines()


FILES = ("sqlite", "duckdb")
ENGINES = (*FILES, pytest.param("postgres", marks=needs("postgres")))


@contextmanager
def scoped(
    source: Path | str, *patients: str, units: tuple[str, ...] = (), masked: tuple[str, ...] = ()
) -> Iterator[str]:
    scope = Scope(patients, units, masked)
    with TemporaryDirectory() as folder, scoped_copy(str(source), Path(folder), scope) as copy:
        yield copy.location


def nine_people(path: Path) -> Path:
    """Writes a hospital of nine people, made once."""

    def make(to: Path) -> None:
        make_database(str(to), "mimic_iv", hospital("mimic_iv"))

    return Path(shutil.copyfile(built(f"nine_people{path.suffix}", make), path))


@contextmanager
def nine_people_on(engine: str, folder: Path) -> Iterator[str]:
    """The location of a hospital of nine people."""
    if engine in FILES:
        yield str(nine_people(folder / f"small.{engine}"))
        return
    with made_database(engine, folder, []) as location:
        make_database(location, "mimic_iv", hospital("mimic_iv"))
        yield location


@pytest.fixture(scope="module", params=ENGINES)
def source(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A hospital whose patients and values no test changes."""
    with nine_people_on(request.param, tmp_path_factory.mktemp("source")) as location:
        yield location


@pytest.fixture(params=ENGINES)
def own_source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A hospital that a test may change."""
    with nine_people_on(request.param, tmp_path) as location:
        yield location


@pytest.mark.parametrize("schema", FORMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_rows_of_the_patients_are_copied(tmp_path: Path, schema: str, engine: str) -> None:
    patient = "00{}-x" if "eicu" in schema else "{}"
    with made_database(engine, tmp_path, []) as source:
        make_database(source, schema, hospital(schema))
        before = read_content(source, schema)
        with scoped(source, patient.format(3), patient.format(5)) as copy:
            after = read_content(copy, schema)
        assert read_content(source, schema) == before
    assert {len(rows) for rows in after.values()} == {1, 2}
    assert all(len(after[table]) == (2 if len(rows) == 9 else 1) for table, rows in before.items())
    assert all(set(after[table]) <= set(rows) for table, rows in before.items())


def read_content(location: str, schema: str) -> dict[str, list[tuple[Cell, ...]]]:
    """Every row of every table, as an agent reads them."""
    with closing(open_database(location)) as database:
        return {
            table.name: sorted(
                database.execute(f"SELECT * FROM {quoted(table.name)}", rows=None).rows, key=str
            )
            for table in load_schema(schema).tables
        }


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_no_byte_of_another_patient_is_copied(tmp_path: Path, ending: str) -> None:
    source = nine_people(tmp_path / f"all.{ending}")
    assert MARKER.encode() in source.read_bytes()
    with scoped(source, "3") as location:
        copy = Path(location)
        assert MARKER.encode() not in copy.read_bytes()
        assert list(copy.parent.iterdir()) == [copy]
        assert copy.stat().st_mode & 0o077 == 0
    assert not copy.exists()


def test_rows_of_two_patients_and_unknown_tables_are_left_out(tmp_path: Path) -> None:
    source = tmp_path / "own.sqlite"
    spoiled(source)
    with closing(sqlite3.connect(source)) as database, database:
        database.execute("INSERT INTO scores VALUES (2006, 1)")
        database.execute(
            "CREATE TRIGGER t DELETE ON labevents BEGIN "
            "INSERT INTO notes VALUES (old.subject_id); END"
        )
    with scoped(source, "7", "6") as location, closing(sqlite3.connect(location)) as copy:
        known = "SELECT count(*) FROM sqlite_master WHERE name = 'notes'"
        assert copy.execute(known).fetchone() == (0,)
        assert copy.execute("SELECT subject_id FROM patients ORDER BY 1").fetchall() == [(6,), (7,)]
        # Admission 1007 is in a row of patient 8 too, so that nobody sees it or its stays.
        assert copy.execute("SELECT STAY_ID FROM scores").fetchall() == [(2006,)]
        assert copy.execute("SELECT hadm_id FROM admissions").fetchall() == [(1006,)]


def test_a_sites_own_tables_show_nobody_else(own_source: str) -> None:
    engine = "postgres" if ":" in own_source else Path(own_source).suffix[1:]
    cases = {
        number: statements
        for number, line in enumerate(SITE_TABLES, 1)
        for engines, _, statements in [line.partition(" | ")]
        if engines in ("all", engine)
    }
    with execution(own_source) as execute:
        for number, statements in cases.items():
            numbered = statements.replace("rounds", f"rounds{number}")
            for word in ("MARKER", "seen"):
                numbered = numbered.replace(word, f"{word}.{number}.")
            for statement in numbered.split("; "):
                execute(statement)
    with scoped(own_source, "3") as copy:
        copied = bytes_on_server(copy) if engine == "postgres" else Path(copy).read_bytes()
    assert lines_with("MARKER", copied) == set()
    assert lines_with("seen", copied) == {n for n, line in cases.items() if "'seen'" in line}


@contextmanager
def execution(source: str) -> Iterator[Callable[[str], object]]:
    """Runs statements as the owner of a database."""
    if ":" in source:
        with owner_of(source) as owner:
            yield lambda sql: owner.execute(sql.encode())
        return
    connect = sqlite3.connect if source.endswith("sqlite") else duckdb.connect
    with closing(connect(source)) as database:
        yield database.execute
        database.commit()


@contextmanager
def owner_of(location: str) -> Iterator["Connection[TupleRow]"]:
    from wardround.ehr.database.postgres.connection import find_address

    address = find_address(location)
    try:
        with closing(address.connect()) as owner:
            yield owner
    finally:
        address.leave()


def bytes_on_server(location: str) -> bytes:
    """Every row of every table of a database on a server, catalogues and statistics included."""
    sql = "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'S', 'm')"
    with owner_of(location) as owner:
        tables = [str(row[0]) for row in owner.execute(sql).fetchall()]
        rows = [owner.execute(f"SELECT t::text FROM {t} AS t".encode()).fetchall() for t in tables]
    return "\n".join([*tables, str(rows)]).encode()


def lines_with(word: str, copied: bytes) -> set[int]:
    """The lines of the site's tables whose word is in a file."""
    return {int(number) for number in re.findall(rf"{word}\.(\d+)\.".encode(), copied)}


@pytest.fixture(scope="module")
def attacked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Database]]:
    """The whole database, and the copy of patient 3 without the comments on labs."""
    with nine_people_on(request.param, tmp_path_factory.mktemp("attacked")) as whole:
        with closing(write_database(whole)) as target:
            target.execute(f"UPDATE labevents SET comments = '{MARKER}' WHERE subject_id = 3")
        with (
            scoped(whole, "3", masked=("labevents.comments",)) as copy,
            closing(open_database(copy)) as database,
        ):
            yield whole.removeprefix("postgresql:"), database


@pytest.mark.parametrize("attacked", ENGINES, indirect=True)
@for_each(line for line in ATTACKS if line and line[0] != "#")
def test_no_statement_reaches_another_patient_or_a_masked_column(
    attack: str, *, attacked: tuple[str, Database]
) -> None:
    assert_nothing_reached(*attacked, attack)


@pytest.mark.parametrize("attacked", ENGINES[-1:], indirect=True)
@for_each(line for line in ON_A_SERVER if line and line[0] != "#")
def test_no_statement_leaves_a_copy_on_a_server(
    attack: str, *, attacked: tuple[str, Database]
) -> None:
    assert_nothing_reached(*attacked, attack)


def assert_nothing_reached(source: str, database: Database, attack: str) -> None:
    sql = attack.replace("SOURCE", source)
    try:
        rows = str(database.execute(sql).rows)
    except QueryError as error:
        rows = str(error).replace(sql, "")
    assert MARKER not in rows
    assert "1007" not in rows


def test_masked_columns_hold_nothing(source: str) -> None:
    masked = ("patients.dod", "labevents.comments")
    with scoped(source, masked=masked) as copy, closing(open_database(copy)) as database:
        counts = "SELECT count(*), count(dod) FROM patients"
        assert database.execute(counts).rows == [(9, 0)]
        counts = "SELECT count(*), count(comments) FROM labevents"
        assert database.execute(counts).rows == [(9, 0)]


def test_a_unit_shows_the_patients_who_had_a_stay_there(source: str) -> None:
    with closing(write_database(source)) as whole:
        whole.execute("UPDATE icustays SET first_careunit = 'MICU' WHERE subject_id IN (3, 4)")
        whole.execute("UPDATE icustays SET last_careunit = 'MICU' WHERE subject_id = 5")
        whole.execute("UPDATE transfers SET careunit = 'Ward 4' WHERE subject_id = 6")
        whole.execute("UPDATE transfers SET careunit = 'MICU' WHERE subject_id = 8")
    assert persons(source, units=("MICU",)) == [3, 4, 5, 8]
    assert persons(source, units=("MICU", "Ward 4")) == [3, 4, 5, 6, 8]
    # Both limits hold together.
    assert persons(source, "2", "4", units=("MICU",)) == [4]


def persons(source: str, *patients: str, units: tuple[str, ...]) -> list[int]:
    """The patients of a copy, and of each of its tables of patients."""
    with (
        scoped(source, *patients, units=units) as copy,
        closing(open_database(copy)) as database,
    ):
        seen = {
            table: sorted(
                int(str(row[0])) for row in database.execute(f"SELECT subject_id FROM {table}").rows
            )
            for table in ("patients", "labevents", "emar")
        }
    assert seen["patients"] == seen["labevents"] == seen["emar"]
    return list(seen["patients"])


def test_a_masked_column_is_in_no_full_text_index(tmp_path: Path) -> None:
    source = nine_people(tmp_path / "all.sqlite")
    with closing(sqlite3.connect(source)) as database, database:
        database.execute(f"UPDATE labevents SET comments = '{MARKER}'")
        database.execute("CREATE VIRTUAL TABLE words USING fts5(comments)")
        database.execute("INSERT INTO words SELECT comments FROM labevents")
    masked = ("labevents.comments",)
    with scoped(source, masked=masked) as copy, closing(open_database(copy)) as opened:
        assert not [table for table in opened.tables() if table.startswith("words")]
        assert "labevents" in opened.tables()


def test_a_masked_column_may_be_a_key_or_required(source: str) -> None:
    masked = ("patients.subject_id", "admissions.admittime")
    with scoped(source, "3", masked=masked) as copy, closing(open_database(copy)) as database:
        assert database.execute("SELECT subject_id FROM patients").rows == [(None,)]
        assert database.execute("SELECT hadm_id, admittime FROM admissions").rows == [(1003, None)]
        assert "PRIMARY KEY" not in database.definition("patients")
        assert "PRIMARY KEY" in database.definition("admissions")
        assert "REFERENCES patients" in database.definition("admissions")


def test_catalogues_name_no_value_of_another_patient(tmp_path: Path) -> None:
    source = nine_people(tmp_path / "all.duckdb")
    with duckdb.connect(source) as database:
        database.execute(f"CREATE TYPE note AS ENUM ('{MARKER}', 'mine')")
        database.execute("ALTER TABLE labevents ADD COLUMN note note")
        database.execute("ALTER TABLE labevents ADD COLUMN more STRUCT(note note)")
        database.execute("UPDATE labevents SET note = 'mine', more = {'note': 'mine'}")
        database.execute(f"CREATE VIEW famous AS SELECT * FROM patients WHERE '{MARKER}' <> ''")
        database.execute(f"CREATE MACRO named(x) AS x = '{MARKER}'")
        database.execute(f"COMMENT ON TABLE patients IS '{MARKER}'")
        database.execute("CREATE SCHEMA other; CREATE TABLE other.patients (subject_id INT)")
    with scoped(source, "3") as copy, closing(open_database(copy)) as opened:
        assert MARKER.encode() not in Path(copy).read_bytes()
        assert opened.execute("SELECT note FROM labevents").rows == [("mine",)]
        assert "famous" not in opened.tables()


def test_a_dictionary_has_the_layouts_columns_only(tmp_path: Path) -> None:
    source = nine_people(tmp_path / "all.sqlite")
    with closing(sqlite3.connect(source)) as database, database:
        database.execute("ALTER TABLE d_labitems ADD COLUMN example")
        database.execute(f"UPDATE d_labitems SET example = '{MARKER}'")
        database.execute(f"CREATE INDEX seen ON labevents (comments) WHERE comments <> '{MARKER}'")
        database.execute("CREATE INDEX times ON labevents (charttime)")
    with scoped(source, "3") as copy, closing(sqlite3.connect(copy)) as database:
        assert MARKER.encode() not in Path(copy).read_bytes()
        sql = "SELECT group_concat(name) FROM pragma_index_info('labevents_0')"
        assert (
            database.execute("SELECT count(*), count(example) FROM d_labitems").fetchone()[1] == 0
        )
        assert database.execute(sql).fetchone()[0]


def test_a_table_that_lost_its_identifiers_is_empty(tmp_path: Path) -> None:
    source = nine_people(tmp_path / "all.sqlite")
    with closing(sqlite3.connect(source)) as database, database:
        database.execute("DROP TABLE omr")
        database.execute("CREATE TABLE omr (person INT, result_name TEXT, result_value TEXT)")
        database.execute(f"INSERT INTO omr VALUES (7, 'weight', '{MARKER}')")
    with scoped(source, "3") as copy, closing(sqlite3.connect(copy)) as database:
        assert MARKER.encode() not in Path(copy).read_bytes()
        assert database.execute("SELECT count(*) FROM omr").fetchone() == (0,)


@pytest.mark.parametrize("engine", FILES)
def test_a_fault_of_copying_says_no_value(tmp_path: Path, engine: str) -> None:
    source = tmp_path / "all"
    source.write_text(MARKER * 1000)
    copy = engines()[engine].private_copy(str(source), tmp_path / "copies")
    copy_folder = tmp_path / "copies"
    copy_folder.mkdir()
    with pytest.raises(UserError, match="cannot be copied") as refused, copy.fill() as filled:
        filled.source_tables()
    assert MARKER not in str(refused.value)


def refusal(
    source: Path | str, *patients: str, units: tuple[str, ...] = (), masked: str = ""
) -> str:
    with (
        pytest.raises(UserError) as refused,
        scoped(source, *patients, units=units, masked=(masked,) if masked else ()),
    ):
        pytest.fail("a copy was made")
    return str(refused.value)


def test_what_cannot_be_withheld_is_refused(source: str, tmp_path: Path) -> None:
    assert "has no subject_id 70" in refusal(source, "70")
    assert "no column patients.name to mask" in refusal(source, "7", masked="patients.name")
    assert "no stay in the unit Nowhere" in refusal(source, units=("Nowhere",))
    assert "give a SQLite or DuckDB file or a PostgreSQL database" in refusal("bigquery:ward", "7")
    unknown = tmp_path / "unknown.sqlite"
    with closing(sqlite3.connect(unknown)) as database, database:
        database.execute("CREATE TABLE people (number INT)")
    assert "does not say which rows are whose" in refusal(unknown, "7")
