import sqlite3
from collections.abc import Callable, Iterator

import pytest

from wardround.agents.parser.talk.schema import Schema, roles
from wardround.ehr.schema import create_statements, load_schema

Known = Callable[[str], tuple[Schema, sqlite3.Connection]]

EVENTS = ("diagnosis", "procedure", "drug", "lab", "culture", "cost")


@pytest.fixture
def known() -> Iterator[Known]:
    """Makes a schema's empty tables; the connections are closed when the test is over."""
    opened: list[sqlite3.Connection] = []

    def make(name: str) -> tuple[Schema, sqlite3.Connection]:
        schema, connection = empty_tables_of(name)
        opened.append(connection)
        return schema, connection

    yield make
    for connection in opened:
        connection.close()


def empty_tables_of(name: str) -> tuple[Schema, sqlite3.Connection]:
    defined = load_schema(name)
    connection = sqlite3.connect(":memory:")
    for statement in create_statements(defined):
        connection.execute(statement)
    columns = {table.name: tuple(c.name for c in table.columns) for table in defined.tables}
    return Schema(tuple(columns), columns), connection


@pytest.mark.parametrize("name", ["ehrsql_mimic_iv", "mimic_iv_star", "ehrsql_eicu", "eicu_star"])
def test_every_view_runs_with_the_columns_that_queries_need(known: Known, name: str) -> None:
    schema, connection = known(name)
    for kind in (kind for kind in roles() if kind != "ids" and not kind.endswith("_names")):
        if not schema.has(kind):
            continue
        shown = {column[0] for column in connection.execute(schema.view(kind)).description}
        assert {"patient"} <= shown
        if kind in EVENTS:
            assert {"patient", "admission", "time", "name"} <= shown, kind


@pytest.mark.parametrize("name", ["ehrsql_mimic_iv", "mimic_iv_star", "ehrsql_eicu", "eicu_star"])
def test_all_kinds_of_the_paper_are_found(known: Known, name: str) -> None:
    schema, _ = known(name)
    assert all(schema.has(kind) for kind in (*EVENTS, "patient", "admission", "icu"))
    assert schema.offers("lab", "name")
    assert schema.offers("diagnosis", "name")


def test_only_needed_tables_are_read(known: Known) -> None:
    full, _ = known("mimic_iv_star")
    start = Schema(full.tables)
    assert start.needed("drug") == ["medicationorders", "hospitaladmissions"]
    looked = Schema(full.tables, {"medicationorders": full.columns["medicationorders"]})
    assert looked.needed("drug") == []


def test_visit_with_several_icu_stays_is_counted_once(known: Known) -> None:
    schema, connection = known("eicu_star")
    columns = load_schema("eicu_star")
    given = {"patient_id": "'p'", "hosp_id": "1"}
    table = next(t for t in columns.tables if t.name == "icupatient")
    for stay in (7, 8):
        values = {**given, "unit_id": str(stay)}
        listed = ", ".join(
            values.get(c.name, str(stay) if c.name in table.key else "'x'") for c in table.columns
        )
        connection.execute(f"INSERT INTO icupatient VALUES ({listed})")
    assert len(connection.execute(schema.view("admission")).fetchall()) == 1
    assert len(connection.execute(schema.view("icu")).fetchall()) == 2
    connection.close()
