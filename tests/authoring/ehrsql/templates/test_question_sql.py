"""The SQL of every template on every schema parses, runs, and agrees between engines."""

import random
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from sqlglot import exp, parse_one

from tests.authoring.ehrsql.templates.filling import NOW, Values, some_slots
from tests.ehr.database.engines import made_database, needs
from tests.ehr.making import make_database
from tests.hospitals import hospital_file
from wardround.authoring.ehrsql.templates.layout_tables import LAYOUTS, load_records
from wardround.authoring.ehrsql.templates.question_sql import (
    in_dialect,
    query,
    templates_for,
    why_not,
)
from wardround.authoring.ehrsql.templates.question_text import question
from wardround.authoring.ehrsql.templates.record_views import view_records
from wardround.authoring.ehrsql.templates.templates import (
    all_question_templates,
    question_template,
)
from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.ehr.database import Database, Dialect, open_database
from wardround.ehr.database.interface import ResultTable
from wardround.ehr.ingest.preparation import Plan, prepare
from wardround.ehr.records import load_map
from wardround.ehr.records.record_tables import MissingRecordsError
from wardround.ehr.schema import create_statement, load_schema
from wardround.ehr.times import TimeFilter, query_time_filters

DIALECTS: tuple[Dialect, Dialect] = ("sqlite", "duckdb")
LEFT_OPEN = re.compile(r"\b(VALUE|AT_TIME|BETWEEN_TIMES|JULIAN_DAY|AS_NUMBER|WHOLE_PERCENT)\(")
Pair = tuple[Database, Database]
FORM = (
    "SELECT AS_NUMBER(d.dose) FROM d WHERE TRUE AND NOT d.died IS NULL AND TRUE "
    "AND JULIAN_DAY(current_moment) > WHOLE_PERCENT(AS_NUMBER(d.part), d.whole)"
)
WRITTEN: dict[Dialect, str] = {
    "sqlite": "SELECT d.dose FROM d WHERE d.died IS NOT NULL "
    "AND STRFTIME('%J', current_time) > d.part * 100 / d.whole",
    "duckdb": "JULIAN(CAST(current_time AS TIMESTAMP)) > ",
    "postgres": "EXTRACT(JULIAN FROM CAST(current_time AS TIMESTAMP)) > ",
}


def test_records_of_equal_maps_are_the_same() -> None:
    known = load_map("omop_5_4")
    records = view_records(deepcopy(known))
    assert view_records(known) is records
    kinds = {kind: sources for kind, sources in known.kinds.items() if kind != "lab"}
    without_labs = view_records(replace(known, kinds=kinds))
    lab = question_template("lab-change")
    assert (why_not(lab, records), why_not(lab, without_labs)) == (
        "",
        "there is no kind 'lab' (a laboratory result)",
    )


@pytest.mark.parametrize("schema", LAYOUTS)
@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_every_template_runs(schema: str, engine: Dialect, tmp_path: Path) -> None:
    location = str(tmp_path / f"empty.{engine}")
    make_database(location, schema, {})
    with closing(open_database(location)) as database:
        _run_all(database, schema, engine)


@needs("postgres")
def test_every_template_runs_on_postgres(tmp_path: Path) -> None:
    with ExitStack() as held:
        for schema in LAYOUTS[:3]:
            folder = tmp_path / schema
            location = made_database("postgres", folder, _statements(schema))
            database = held.enter_context(closing(open_database(held.enter_context(location))))
            _run_all(database, schema, "postgres")


def test_sqlite_and_duckdb_return_the_same_rows(star: Pair) -> None:
    answered = _compare(star, "mimic_iv_star")
    assert answered == 78


@pytest.mark.parametrize(("official", "answered"), [("mimic_iii", 72), ("eicu", 76)])
def test_prepared_database_returns_the_same_rows(
    official: str, answered: int, tmp_path: Path
) -> None:
    source = str(hospital_file(official, 5, seed=3))
    places = [str(tmp_path / f"prepared.{engine}") for engine in ("sqlite", "duckdb")]
    now = datetime.fromisoformat(NOW)
    for place in places:
        list(prepare(source, place, Plan(current=0.3, now=now, first=datetime(2098, 1, 1))))
    with closing(open_database(places[0])) as first, closing(open_database(places[1])) as second:
        assert _compare((first, second), f"ehrsql_{official}") == answered


@pytest.mark.parametrize("schema", ["ehrsql_mimic_iii", "mimic_iv_star", "eicu_star"])
def test_times_are_extracted_from_their_query(schema: str) -> None:
    chance, records = random.Random(schema), load_records(schema)
    for template in templates_for(records):
        if template.form.startswith("current"):  # these queries have "now" without a slot
            continue
        slots = some_slots(template, records, chance, None)
        tree = parse_one(query(template, records, slots), dialect="sqlite")
        assert isinstance(tree, exp.Expression)
        recognised = {_values(filter) for filter, _ in query_time_filters(tree)}
        assert recognised == {_values(filter) for filter in slots.times.filters if filter}, (
            template.id
        )


def _values(filter: TimeFilter) -> tuple[str, tuple[tuple[str, int], ...]]:
    return filter.template.id, tuple(sorted(filter.values.items()))


def test_ties_are_left_to_the_engine_or_decided() -> None:
    template = question_template("drug-name")
    records = load_records("ehrsql_mimic_iv")
    slots = some_slots(template, records, random.Random(1), None)
    sql = query(template, records, slots)
    decided = query(template, records, slots, ties="DESC")
    assert decided.replace(", prescriptions.row_id DESC", "") == sql
    assert decided != sql


@pytest.mark.parametrize("schema", LAYOUTS)
def test_query_of_missing_records_names_them(schema: str) -> None:
    records = load_records(schema)
    reasons = {each: why_not(each, records) for each in all_question_templates()}
    absent = {template: reason for template, reason in reasons.items() if reason}
    assert absent
    for template, reason in absent.items():
        with pytest.raises(MissingRecordsError, match=re.escape(reason)):
            query(template, records, some_slots(template, records, random.Random(1), None))


@pytest.mark.parametrize(
    ("template", "schema", "reason"),
    [
        ("allergy", "ehrsql_mimic_iii", "there is no kind 'allergy' (an allergy)"),
        ("birth", "eicu_star", "'patient' (a person in the record) has no 'birth'"),
        ("ward", "mimic_iv_star", "'transfer' (a stay in one ward) has no 'ward'"),
        ("test-name", "ehrsql_eicu", "'culture' (a microbiology result) has no 'test'"),
        ("total-dose", "ehrsql_eicu", "doses are free text"),
        ("ward", "ehrsql_mimic_iii", ""),
    ],
)
def test_template_is_left_out_for_what_the_records_lack(
    template: str, schema: str, reason: str
) -> None:
    assert why_not(question_template(template), load_records(schema)) == reason


@pytest.mark.parametrize("dialect", WRITTEN)
def test_functions_of_forms_are_transpiled(dialect: Dialect) -> None:
    sql = in_dialect(FORM, dialect, load_records("ehrsql_mimic_iv"))
    assert WRITTEN[dialect] in sql
    assert "TRUE" not in sql
    assert "AS_NUMBER" not in sql


@pytest.fixture(scope="module")
def star() -> Iterator[Pair]:
    places = [hospital_file("mimic_iv_star", 8, 3, engine) for engine in ("sqlite", "duckdb")]
    with closing(open_database(places[0])) as first, closing(open_database(places[1])) as second:
        yield first, second


def _statements(schema: str) -> list[str]:
    return [create_statement(table, "postgres") for table in load_schema(schema).tables]


def _run_all(database: Database, schema: str, dialect: Dialect) -> None:
    chance, records = random.Random(schema), load_records(schema)
    for template in templates_for(records):
        slots = some_slots(template, records, chance, None)
        sql = query(template, records, slots, dialect=dialect)
        parse_one(sql, dialect=dialect)
        assert not LEFT_OPEN.search(sql), template.id
        database.execute(runnable(sql, NOW))
        assert "  " not in question(template, slots)


def _compare(pair: Pair, schema: str) -> int:
    """Counts the questions with an answer; asserts equal answers on both engines."""
    chance, answered = random.Random(schema), 0
    records, values = load_records(schema), Values(pair[0], schema)
    for template in templates_for(records):
        slots = some_slots(template, records, chance, values)
        queries = [query(template, records, slots, dialect=d, ties="ASC") for d in DIALECTS]
        rows = [
            _rows(database.execute(runnable(sql, NOW)))
            for database, sql in zip(pair, queries, strict=True)
        ]
        assert rows[0] == rows[1], (template.id, question(template, slots))
        answered += any(cell not in ("None", "0.0") for row in rows[0] for cell in row)
    return answered


def _rows(result: ResultTable) -> list[tuple[str, ...]]:
    return sorted(tuple(_cell(cell) for cell in row) for row in result.rows)


def _cell(cell: object) -> str:
    if isinstance(cell, datetime | date):
        return f"{cell:%Y-%m-%d %H:%M:%S}"
    try:
        return str(round(float(cell), 4))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(cell)
