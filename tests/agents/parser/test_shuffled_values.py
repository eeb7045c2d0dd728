"""A shuffled record is refused before anything is trained; a true one is asked."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import duckdb
import pytest
from typer.testing import CliRunner

from tests.hospitals import built, hospital_file
from wardround.agents.parser.answers import Shuffled, open_answerer, shuffled_values
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.grammar.records import views_of
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.schema import create_statements, load_schema


def hospital(layout: str) -> Path:
    return hospital_file(layout, 40, seed=7)


def prepared(release: str, *options: str) -> Path:
    words = ["data", "prepare", str(hospital(release)), "--layout", f"ehrsql_{release}"]

    def prepare(to: Path) -> None:
        ran = CliRunner().invoke(app, [*words, *options, "--to", str(to)])
        assert ran.exit_code == 0, ran.output

    return built("-".join(["prepared", release, *options]) + ".sqlite", prepare)


def of(database: Database) -> Shuffled:
    records = views_of(column_types(database), "sqlite")
    assert records is not None
    return shuffled_values(records, database)


@pytest.mark.parametrize("release", ["mimic_iv", "mimic_iii", "eicu"])
def test_preparation_for_benchmarks_is_refused_and_one_that_keeps_the_record_is_not(
    release: str,
) -> None:
    with closing(open_database(prepared(release))) as database:
        assert of(database) == "shuffled"
        with pytest.raises(UserError, match="data prepare --keep-record"):
            open_answerer(database, pytest.fail)
    with closing(open_database(prepared(release, "--keep-record"))) as database:
        assert of(database) == "true"


@pytest.mark.parametrize("layout", ["ehrsql_mimic_iv", "mimic_iv_star"])
def test_hospital_is_a_true_record(layout: str) -> None:
    path = hospital_file(layout, 80, seed=5, ending="sqlite")
    with closing(open_database(path)) as database:
        assert of(database) == "true"


def test_results_under_each_others_names_are_refused(tmp_path: Path) -> None:
    source = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")
    path = Path(shutil.copy(source, tmp_path / "shuffled.sqlite"))
    with closing(sqlite3.connect(path)) as connection, connection:
        results = connection.execute("SELECT itemcode, recordid FROM labresults").fetchall()
        codes = [code for code, _ in results]
        Random(0).shuffle(codes)
        moved = zip(codes, (id for _, id in results), strict=True)
        connection.executemany("UPDATE labresults SET itemcode = ? WHERE recordid = ?", moved)
    with closing(open_database(path)) as database:
        assert of(database) == "shuffled"
        with pytest.raises(UserError, match="data prepare --keep-record"):
            open_answerer(database, pytest.fail)


def test_too_few_tests_tell_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in create_statements(load_schema("ehrsql_mimic_iv")):
            connection.execute(statement)
    with closing(open_database(path)) as database:
        assert of(database) == "unknown"


def test_kept_record_has_the_rows_of_the_release() -> None:
    kept = prepared("mimic_iv", "--keep-record")
    results = "SELECT subject_id, hadm_id, itemid, {} AS charttime, valuenum FROM labevents"
    with closing(duckdb.connect(hospital("mimic_iv"), read_only=True)) as connection:
        released = connection.execute(results.format("CAST(charttime AS TEXT)")).fetchall()
    with closing(sqlite3.connect(kept)) as connection:
        rows = set(connection.execute(results.format("charttime")))
        assert rows
        assert rows <= set(released)
        (costs,) = connection.execute("SELECT COUNT(*) FROM cost").fetchone()
        (patients,) = connection.execute("SELECT COUNT(*) FROM patients").fetchone()
        assert (costs, patients) == (0, 40)
