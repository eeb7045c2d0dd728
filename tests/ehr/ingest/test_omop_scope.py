"""Copies of an OMOP database for people who may see some persons only."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest

from tests.cases import for_each
from tests.hospitals import hospital_file
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.database.names import quote_text
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy

ATTACKS = Path(__file__).with_name("omop_scope_attacks.txt").read_text().splitlines()
MARKER = "a-word-about-somebody-else"
ENDINGS = ("sqlite", "duckdb")
# Tables of the data model that the hospital does not have, each with a row about somebody else.
SITE = (
    "CREATE TABLE cohort (cohort_definition_id INTEGER, subject_id INTEGER, comment VARCHAR)",
    f"INSERT INTO cohort VALUES (1, {{other}}, '{MARKER}')",
    "CREATE TABLE fact_relationship (fact_id_1 INTEGER, fact_id_2 INTEGER, why VARCHAR)",
    f"INSERT INTO fact_relationship VALUES ({{other}}, {{own}}, '{MARKER}')",
    "CREATE TABLE note_nlp (note_nlp_id INTEGER, note_id INTEGER, snippet VARCHAR)",
    "INSERT INTO note_nlp "
    f"SELECT 1, min(note_id), '{MARKER}' FROM note WHERE person_id = {{other}}",
    "INSERT INTO note_nlp SELECT 2, min(note_id), 'mine' FROM note WHERE person_id = {own}",
    "CREATE TABLE drug_era (drug_era_id INTEGER, person_id INTEGER, drug VARCHAR)",
    f"INSERT INTO drug_era VALUES (1, {{other}}, '{MARKER}'), (2, {{own}}, 'mine')",
    f"INSERT INTO location (location_id, address_1) VALUES (77, '{MARKER}')",
)


@dataclass(frozen=True)
class Source:
    """A whole hospital as a file, and open."""

    path: Path
    database: Database
    people: list[int]


@pytest.fixture(scope="module", params=ENDINGS)
def source(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Source]:
    """A whole hospital, with tables and rows of a site's own."""
    path: Path = tmp_path_factory.mktemp("omop") / f"all.{request.param}"
    shutil.copyfile(hospital_file("omop_5_4", 6, 2, request.param, notes=True), path)
    connect = sqlite3.connect if request.param == "sqlite" else duckdb.connect
    with closing(connect(str(path))) as whole:
        first_two = "SELECT person_id FROM person ORDER BY 1 LIMIT 2"
        (own,), (other,) = whole.execute(first_two).fetchall()
        for statement in SITE:
            whole.execute(statement.format(own=own, other=other))
        whole.commit()
    with closing(open_database(str(path))) as database:
        yield Source(path, database, people(database))


def people(database: Database) -> list[int]:
    return numbers(database, "SELECT person_id FROM person ORDER BY 1")


def numbers(database: Database, sql: str) -> list[int]:
    return [int(str(row[0])) for row in database.execute(sql, rows=None).rows]


@contextmanager
def scoped(
    source: Source, *patients: int, units: tuple[str, ...] = (), masked: tuple[str, ...] = ()
) -> Iterator[str]:
    scope = Scope(tuple(map(str, patients)), units, masked)
    with TemporaryDirectory() as folder, scoped_copy(str(source.path), Path(folder), scope) as copy:
        yield copy.location


def test_every_table_holds_the_rows_of_the_person_alone(source: Source) -> None:
    own, *others = source.people
    with scoped(source, own) as copy, closing(open_database(copy)) as database:
        assert MARKER.encode() not in Path(copy).read_bytes()
        tables = {t: [c.name for c in database.columns(t)] for t in database.tables()}
        assert "cohort" not in tables
        assert "fact_relationship" not in tables
        named = [table for table, columns in tables.items() if "person_id" in columns]
        assert len(named) == 13
        for table in named:
            assert set(numbers(database, f"SELECT DISTINCT person_id FROM {table}")) <= {own}
            count = f"SELECT count(*) FROM {table}"
            of_own = numbers(source.database, f"{count} WHERE person_id = {own}")
            assert numbers(database, count) == of_own, table
        assert database.execute("SELECT snippet FROM note_nlp").rows == [("mine",)]
        assert numbers(database, "SELECT count(*) FROM location") == [0]
        assert numbers(database, "SELECT count(*) FROM cost") == [0]
        concepts = "SELECT count(*) FROM concept"
        assert numbers(database, concepts) == numbers(source.database, concepts)
    assert others


def test_a_care_site_shows_the_persons_who_had_a_stay_there(source: Source) -> None:
    sites = (
        "SELECT v.person_id FROM visit_detail v JOIN care_site c ON c.care_site_id = v.care_site_id"
    )
    (name, *_), *_ = source.database.execute(
        "SELECT c.care_site_name, count(DISTINCT v.person_id) FROM visit_detail v "
        "JOIN care_site c ON c.care_site_id = v.care_site_id GROUP BY 1 ORDER BY 2, 1"
    ).rows
    of_site = f"{sites} WHERE c.care_site_name = {quote_text(str(name))}"
    expected = sorted(set(numbers(source.database, of_site)))
    assert 0 < len(expected) < len(source.people)
    with (
        scoped(source, units=(str(name),)) as copy,
        closing(open_database(copy)) as database,
    ):
        assert people(database) == expected
    with (
        pytest.raises(UserError, match="no stay in the unit Nowhere"),
        scoped(source, units=("Nowhere",)),
    ):
        pytest.fail("a copy was made")


def test_masked_columns_of_omop_hold_nothing(source: Source) -> None:
    masked = ("person.year_of_birth", "note.note_text")
    with scoped(source, masked=masked) as copy, closing(open_database(copy)) as database:
        assert people(database) == source.people
        assert numbers(database, "SELECT count(year_of_birth) FROM person") == [0]
        assert numbers(database, "SELECT count(note_text) FROM note") == [0]


@pytest.fixture(scope="module")
def attacked(source: Source) -> Iterator[tuple[Source, Database]]:
    with scoped(source, source.people[0]) as copy, closing(open_database(copy)) as database:
        yield source, database


@for_each(line for line in ATTACKS if line and line[0] != "#")
def test_no_statement_reaches_another_person(
    attack: str, *, attacked: tuple[Source, Database]
) -> None:
    source, database = attacked
    own, other = source.people[:2]
    sql = attack.replace("SOURCE", str(source.path)).replace("OWN", str(own))
    sql = sql.replace("OTHER", str(other))
    try:
        rows = str(database.execute(sql).rows)
    except QueryError as error:
        rows = str(error).replace(sql, "")
    assert MARKER not in rows
    assert str(other) not in rows
