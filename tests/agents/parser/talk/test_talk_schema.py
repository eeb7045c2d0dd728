import sqlite3
from collections.abc import Callable, Iterator

import pytest

from wardround.agents.parser.talk.schema import Schema
from wardround.ehr.query import Goal, Query, to_sql
from wardround.ehr.schema import create_statements, load_schema

Known = Callable[[str], tuple[Schema, sqlite3.Connection]]

EVENTS = ("diagnosis", "procedure", "drug", "lab", "culture", "cost")
KINDS = (*EVENTS, "patient", "admission", "icu", "vital", "intake", "output", "transfer")
LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv_star", "ehrsql_eicu", "eicu_star")


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


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_view_runs_with_the_columns_that_queries_need(known: Known, name: str) -> None:
    schema, connection = known(name)
    views = schema.views(KINDS, "sqlite")
    for kind, sql in views.sql.items():
        shown = tuple(column[0] for column in connection.execute(sql).description)
        assert shown == views.columns[kind]
        assert "patient" in shown
        if kind in EVENTS:
            assert {"admission", "time", "name"} <= set(shown), kind


@pytest.mark.parametrize("name", LAYOUTS)
def test_all_kinds_of_the_paper_are_found(known: Known, name: str) -> None:
    schema, _ = known(name)
    assert all(schema.has(kind) for kind in (*EVENTS, "patient", "admission", "icu"))
    assert schema.offers("lab", "name")
    assert schema.offers("diagnosis", "name")


def test_kinds_are_found_by_the_names_of_the_tables_alone(known: Known) -> None:
    full, _ = known("eicu_star")
    start = Schema(full.tables)
    assert start.has("lab")
    assert not start.has("transfer")
    assert not start.offers("lab", "name")
    assert not Schema(("orders", "customers")).has("lab")


def test_only_needed_tables_are_read(known: Known) -> None:
    full, _ = known("mimic_iv_star")
    start = Schema(full.tables)
    kinds = ("drug", "lab", "admission")
    wanted = ["medicationorders", "labresults", "labtesttypes", "hospitaladmissions"]
    assert start.unread(kinds) == wanted
    looked = Schema(full.tables, {"labresults": full.columns["labresults"]})
    assert looked.unread(kinds) == [table for table in wanted if table != "labresults"]


def test_a_column_is_searched_in_the_table_of_its_names(known: Known) -> None:
    mimic, eicu = known("mimic_iv_star")[0], known("ehrsql_eicu")[0]
    assert mimic.table_and_column("lab", "name") == ("labtesttypes", "itemname")
    assert mimic.table_and_column("culture", "name") == ("microbiologyresults", "organismname")
    assert eicu.table_and_column("admission", "age") == ("patient", "age")


def test_patients_are_those_with_a_stay_where_their_table_was_not_read(known: Known) -> None:
    full, connection = known("mimic_iv_star")
    read = {"hospitaladmissions": full.columns["hospitaladmissions"]}
    views = Schema(full.tables, read).views(["admission"], "sqlite")
    assert views.columns["patient"] == ("patient",)
    assert connection.execute(views.sql["patient"]).fetchall() == []


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
    views = schema.views(["admission", "icu"], "sqlite")
    assert len(connection.execute(views.sql["admission"]).fetchall()) == 1
    assert len(connection.execute(views.sql["icu"]).fetchall()) == 2


def test_a_culture_counts_once_however_many_drugs_it_was_tested_with(known: Known) -> None:
    schema, connection = known("mimic_iv")
    columns = "microevent_id, subject_id, micro_specimen_id, chartdate, org_name"
    rows = [
        (1, 1, 10, "2100-01-01", "YEAST"),
        (2, 1, 20, "2100-01-01", "YEAST"),
        (3, 1, 30, "2100-01-02", "ESCHERICHIA COLI"),
        (4, 1, 30, "2100-01-02", "ESCHERICHIA COLI"),
        (5, 1, 30, "2100-01-02", "ESCHERICHIA COLI"),
        *((n, 1, n, "2100-01-03", "CANCELLED") for n in range(40, 44)),
    ]
    columns += ", spec_itemid, spec_type_desc, test_seq, storedate"
    values = "?, ?, ?, ?, ?, 1, 'URINE', 1, '2100-01-09'"
    filled = f"INSERT INTO microbiologyevents ({columns}) VALUES ({values})"
    connection.executemany(filled, rows)
    views = schema.views(["culture"], "sqlite")
    most_often = to_sql(Query(Goal("top", "culture", column="organism"), ()), views)
    number = to_sql(Query(Goal("count", "culture"), ()), views)
    assert connection.execute(most_often).fetchall() == [("YEAST",)]
    assert connection.execute(number).fetchall() == [(7,)]
