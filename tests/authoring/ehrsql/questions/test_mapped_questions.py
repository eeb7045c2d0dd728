"""Questions about databases that are in none of EHRSQL's layouts."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.authoring.ehrsql.questions.conftest import TEMPLATES, chosen_templates
from tests.ehr.records.six_tables import build_six_tables
from tests.hospitals import hospital_file
from wardround.authoring.ehrsql import pair_sources
from wardround.authoring.ehrsql.questions.made_question import answer_text
from wardround.authoring.ehrsql.questions.maker import Maker, opened_maker
from wardround.authoring.ehrsql.questions.suite import make_ehrsql
from wardround.authoring.ehrsql.templates import question_template, templates_for, why_not
from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.benchmarks.ehrsql.result_cache import run_query
from wardround.core.errors import NoPairsError

SMALL = 0.001
MAP = """
layout = "ours"

[written."patient.sex"]
female = ["w"]
male = ["m"]

[patient]
from = "people"
columns = { patient = "no", sex = "sex" }

[lab]
from = "results"
columns = { patient = "person", record = "id", time = "taken", name = "test", value = "result", unit = "unit" }
"""  # noqa: E501


@pytest.fixture(scope="module")
def omop() -> Path:
    """A hospital of eighty patients in the form of OMOP, which the makers' tests have."""
    return hospital_file("omop_5_4", 80, seed=5)


@pytest.fixture(scope="module")
def maker(omop: Path) -> Iterator[Maker]:
    """A maker of questions about the hospital."""
    with opened_maker(str(omop), seed=3) as opened:
        yield opened


def test_made_questions_of_omop_pass_their_own_grading(
    omop: Path, tmp_path: Path, cli: Cli
) -> None:
    made = make_ehrsql(str(omop), tmp_path / "q", seed=2, size=SMALL)
    assert made.tied == 0
    entries = json.loads((tmp_path / "q/ehrsql-1.5/valid.json").read_text("utf-8"))
    answerable = [entry for entry in entries if not entry["is_impossible"]]
    assert len({entry["question"] for entry in answerable}) == 114
    assert {entry["db_id"] for entry in entries} == {"omop_5_4"}
    tasks = tmp_path / "q/ehrsql-2024/valid"
    validated = cli("tasks", "validate", "ehrsql", "--tasks", tasks, "--database", omop)
    assert validated.code == 0, validated.err
    assert "0 defects" in validated.out


def test_templates_are_named_with_the_records_that_omop_lacks(maker: Maker) -> None:
    records = maker.pool.source.records
    reasons = {
        id: why_not(question_template(id), records)
        for id in ("lab-cost", "ward", "insurance", "total-dose", "vital-normal", "has-lab")
    }
    assert reasons == {
        "lab-cost": "there is no kind 'cost' (a charge)",
        "ward": "'transfer' (a stay in one ward) has no 'ward'",
        "insurance": "'admission' (a stay in the hospital) has no 'insurance'",
        "total-dose": "doses are in the units of their orders",
        "vital-normal": "",
        "has-lab": "",
    }


def test_unanswerable_questions_ask_for_what_no_record_has(maker: Maker) -> None:
    categories = {template.category for template in maker.unanswerable_templates}
    assert categories == {"ambiguous", "appointments", "external knowledge"}


@pytest.fixture
def own_tables(tmp_path: Path) -> tuple[Path, Path]:
    """Twelve people without hospital stays, with three lab tests each, and their map."""
    database, record_map = tmp_path / "own.sqlite", tmp_path / "map.toml"
    record_map.write_text(MAP, encoding="utf-8")
    connection = sqlite3.connect(database)
    connection.executescript(
        "CREATE TABLE people (no INTEGER, sex TEXT);"
        "CREATE TABLE results (id INTEGER, person INTEGER, taken TEXT, test TEXT, result REAL,"
        " unit TEXT);"
    )
    with connection:
        for no in range(12):
            connection.execute("INSERT INTO people VALUES (?, ?)", (no, "wm"[no % 2]))
            for at, unit in enumerate(("mg/dL", "mg/dL", "mmol/L")):
                day = f"2020-0{at + 1}-{no + 1:02} 08:00:00"
                row = (3 * no + at, no, day, "sugar" if at else "salt", 10.0 * no + at, unit)
                connection.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?)", row)
    connection.close()
    return database, record_map


def test_own_tables_are_asked_about_by_their_map(own_tables: tuple[Path, Path]) -> None:
    database, record_map = own_tables
    with opened_maker(str(database), 1, map_path=record_map) as maker:
        served = {template.id for template in templates_for(maker.pool.source.records)}
        assert {"gender", "lab-value", "lab-patients"} <= served
        assert not {"age", "diagnosis-name", "length-of-stay", "vital-normal"} & served
        counts = {question_template(id): 3 for id in ("gender", "has-lab", "lab-patients")}
        made = list(maker.answerable(counts))
    assert {question.template.id for question in made} == {"gender", "has-lab", "lab-patients"}


def test_names_measured_in_several_units_are_not_asked_about(
    own_tables: tuple[Path, Path],
) -> None:
    database, record_map = own_tables
    with opened_maker(str(database), 1, map_path=record_map) as maker:
        assert {event.label for event in maker.pool.history.events["lab"]} == {"salt"}


def test_answers_that_hang_on_the_order_of_one_time_are_left_out(
    own_tables: tuple[Path, Path],
) -> None:
    database, record_map = own_tables
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("UPDATE results SET taken = '2020-01-01 08:00:00', unit = 'mg/dL'")
    connection.close()
    with opened_maker(str(database), 1, map_path=record_map) as maker:
        assert not list(maker.answerable({question_template("lab-name"): 5}))


def test_records_without_dates_are_refused() -> None:
    path = hospital_file("eicu", 16, seed=1, tables=("patient", "lab"))
    with (
        pytest.raises(NoPairsError, match="keeps no dates, since all of its hospital stays begin"),
        opened_maker(str(path), seed=1),
    ):
        pass


def test_pairs_of_other_layouts_name_tables_of_records(omop: Path, maker: Maker) -> None:
    """The queries of the tables give the answers of the queries of the views."""
    counts = dict.fromkeys(templates_for(maker.pool.source.records), 1)
    made = list(maker.answerable(counts))
    assert len(made) == 114
    for each in made:
        sql = maker.table_sql(each) or ""
        assert "visit_occurrence" not in sql
        assert "_records" in sql
        of_tables = run_query(maker.quick.database, runnable(sql, maker.now), 60)
        of_views = run_query(maker.pool.source.database, runnable(each.sql or "", maker.now), 60)
        assert answer_text(of_tables.rows or ()) == answer_text(of_views.rows or ())
    pairs = pair_sources.mapped(str(omop), seed=1, count=12)
    assert pairs.records
    assert pairs.records.layout == "omop_5_4"
    assert len(pairs.pairs) == 12
    with pytest.raises(NoPairsError, match="pairs `mapped` are made about it"):
        pair_sources.made(str(omop), seed=1, count=12)


@pytest.mark.parametrize("step", TEMPLATES)
def test_questions_about_a_proposed_map_pass_their_own_grading(
    tmp_path: Path, cli: Cli, step: int
) -> None:
    """From tables that nobody described to graded answers, with nothing edited in between."""
    database, record_map, made = (tmp_path / name for name in ("six.duckdb", "six.toml", "q"))
    build_six_tables(database)
    assert cli("data", "map", database, "--to", record_map).code == 0
    options = ("--map", record_map, "--size", SMALL, "--to", made)
    with chosen_templates(step):
        written = cli("tasks", "make", "ehrsql", "--database", database, *options)
    assert written.code == 0, written.err
    assert f"--database six={database}" in written.out
    chosen = ("--tasks", made / "ehrsql-2024/valid", "--database", f"six={database}")
    validated = cli("tasks", "validate", "ehrsql", *chosen)
    assert "0 defects" in validated.out, validated.err
    ran = cli("run", "ehrsql", "--agent", "oracle", *chosen, "--out", tmp_path / "run", "--json")
    assert ran.code == 0, ran.err
    entries = json.loads((made / "ehrsql-1.5/valid.json").read_text("utf-8"))
    asked = {entry["template"] for entry in entries if not entry["is_impossible"]}
    assert any("normal" in template for template in asked)
