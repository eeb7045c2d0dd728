"""A generated question runs on every layout that has its records, the same on every engine."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlglot
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.ehr.database.engines import made_database, needs
from tests.ehr.query.generated_queries import (
    DRAWN,
    LAYOUTS,
    NO_SHRINKING,
    Ward,
    conditions,
    named,
    queries,
    relations,
    views_of,
    ward,
)
from wardround.ehr.database import Dialect, open_database
from wardround.ehr.query import Condition, Goal, Query, Relation, Span, Term, to_sql, to_words
from wardround.ehr.query.condition_words import condition_words
from wardround.ehr.query.model import Order, Scope
from wardround.ehr.records import Role, Views, load_map

PATIENTS: tuple[tuple[Scope, list[str]], ...] = (("admission", ["2"]), ("patient", ["1", "2"]))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_query_has_the_same_answer_on_every_engine(layout: str) -> None:
    @hypothesis_settings(max_examples=DRAWN, deadline=None, phases=NO_SHRINKING)
    @given(queries(layout))
    def holds(query: Query) -> None:
        assert ward(layout, "duckdb").answer(query) == ward(layout, "sqlite").answer(query)
        assert to_words(query)

    holds()


@needs("postgres")
@pytest.mark.parametrize("layout", ["mimic_iv_star", "omop_5_4"])
def test_a_query_has_the_same_answer_on_postgresql(layout: str, tmp_path: Path) -> None:
    with made_database("postgres", tmp_path, []) as location:
        server = Ward(layout, "postgres", location)

        @hypothesis_settings(max_examples=DRAWN, deadline=None, phases=NO_SHRINKING)
        @given(queries(layout))
        def holds(query: Query) -> None:
            assert ward(layout, "duckdb").answer(query) == server.answer(query)

        with closing(server.database):
            holds()


@hypothesis_settings(max_examples=DRAWN, deadline=None)
@given(queries("ehrsql_mimic_iv"))
def test_a_query_has_the_same_answer_under_a_renaming(query: Query) -> None:
    renamed = ward("mimic_iv_star", "duckdb").answer(query)
    assert renamed == ward("ehrsql_mimic_iv", "duckdb").answer(query)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_a_query_has_one_text_in_each_dialect(dialect: Dialect) -> None:
    query = Query(
        Goal("value", "admission", column="length", function="AVG"),
        (Condition("drug", named("drug", ["Heparin"]), is_in_icu=True),),
    )
    of_dialect = views_of(load_map("mimic_iv"), dialect)
    text = to_sql(query, of_dialect)
    assert text == to_sql(query, of_dialect)
    assert sqlglot.parse_one(text, read=dialect).sql(dialect) == text
    assert ("julianday" in text.lower()) == (dialect == "sqlite")


def test_conditions_of_one_stay_are_met_by_the_same_stay(tmp_path: Path) -> None:
    path = tmp_path / "small.duckdb"
    import duckdb

    with closing(duckdb.connect(str(path))) as made:
        made.execute("CREATE TABLE stay (patient INT, admission INT, type TEXT)")
        made.execute("CREATE TABLE drug (patient INT, admission INT, name TEXT)")
        made.execute(
            "INSERT INTO stay VALUES (1, 10, 'urgent'), (1, 11, 'planned'), (2, 20, 'urgent')"
        )
        made.execute("INSERT INTO drug VALUES (1, 11, 'heparin'), (2, 20, 'heparin')")
    views = Views(
        "duckdb",
        {
            "patient": "SELECT DISTINCT patient FROM stay",
            "admission": "SELECT * FROM stay",
            "drug": "SELECT * FROM drug",
        },
        {
            "patient": ("patient",),
            "admission": ("patient", "admission", "type"),
            "drug": ("patient", "admission", "name"),
        },
        {},
    )
    kinds = (
        ("admission", ((Role("admission", "type"), ("urgent",)),)),
        ("drug", named("drug", ["heparin"])),
    )
    with closing(open_database(str(path))) as database:
        for scope, patients in PATIENTS:
            found = tuple(Condition(kind, values, scope=scope) for kind, values in kinds)
            sql = to_sql(Query(Goal("list"), found), views)
            assert sorted(str(row[0]) for row in database.execute(sql).rows) == patients


def test_a_missing_kind_is_named() -> None:
    views = ward("mimic_iv", "duckdb").views
    with pytest.raises(KeyError, match="cost"):
        to_sql(Query(Goal("count", "cost"), ()), views)
    deathless = replace(views, columns={**views.columns, "patient": ("patient", "sex")})
    for kind in ("death", "alive"):
        with pytest.raises(KeyError, match="death"):
            to_sql(Query(Goal("count"), (Condition(kind),)), deathless)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_the_order_in_time_is_of_the_record_that_is_named(dialect: Dialect) -> None:
    days = {1: (1, 4), 2: (2, 40), 3: (20, 3)}  # of the surgery and of heparin
    rows = [
        f"SELECT {patient} AS patient, {10 * patient} AS admission, '{name}' AS name, "
        f"{day} AS value, CAST('2100-01-01' AS DATE) AS day, {day} AS days"
        for patient, each in days.items()
        for name, day in zip(("surgery", "heparin"), each, strict=True)
    ]
    time = "DATETIME(day, days || ' days')" if dialect == "sqlite" else "day + INTERVAL (days) DAY"
    event = f"SELECT patient, admission, name, value, {time} AS time FROM e"
    event = f"WITH e AS ({' UNION ALL '.join(rows)}) {event}"
    if dialect == "sqlite":
        event = event.replace("CAST('2100-01-01' AS DATE)", "'2100-01-01'")
    columns = ("patient", "admission", "name", "value", "time")
    people = f"SELECT DISTINCT patient FROM ({event})"
    sql = {"patient": people, "lab": event}
    views = Views(dialect, sql, {"patient": ("patient",), "lab": columns}, {})
    surgery = Condition("lab", named("lab", ["surgery"]))
    database = ward("mimic_iv", dialect).database
    cases: tuple[tuple[Order, Span | None, set[int]], ...] = (
        ("after", None, {1, 2}),
        ("after", Span(1, "week"), {1}),
        ("before", None, {3}),
        ("before", Span(1, "month"), {3}),
        ("before", Span(2, "day"), set()),
    )
    for order, within, patients in cases:
        placed = Relation(order, surgery, within=within)
        found = Condition("lab", named("lab", ["heparin"]), relation=placed)
        sql_text = to_sql(Query(Goal("list"), (found,)), views)
        assert {row[0] for row in database.execute(sql_text).rows} == patients
    one = Condition("patient", ((Role("patient", "patient"), ("3",)),))
    change = to_sql(Query(Goal("difference", "lab", column="value"), (one,)), views)
    assert [tuple(row) for row in database.execute(change).rows] == [(17,)]


SCOPES: Mapping[Scope, str] = {
    "patient": ", at any time of the patient.",
    "admission": ", in the same hospital stay.",
    "stay": ", in the same ICU stay.",
}


@given(st.data(), st.sampled_from(["patient", "admission", "icu", "lab"]))
def test_the_words_of_each_condition_say_whose_it_is(data: st.DataObject, of: str) -> None:
    scopes: list[Scope] = list(SCOPES) if of != "admission" else ["patient", "admission"]
    scope = data.draw(st.sampled_from(scopes))
    first, second = (data.draw(conditions("mimic_iv", scope)) for _ in range(2))
    own = {"admission": "admission", "icu": "stay"}.get(of)
    ending = "." if scope == own else SCOPES[scope]
    asked = [c for c in (first, second) if c.kind != of]
    said = [condition_words(each, Query(Goal("count", of), (first, second))) for each in asked]
    assert [text for text in said if not text.endswith(ending)] == []
    assert [text for text in said if scope == own and text.endswith(tuple(SCOPES.values()))] == []


@given(st.data(), st.sampled_from(["patient", "admission", "icu", "lab"]))
def test_the_words_of_a_relation_say_whose_records_it_is_between(
    data: st.DataObject, of: str
) -> None:
    found = data.draw(conditions("mimic_iv", data.draw(st.sampled_from(["patient", "admission"]))))
    near = data.draw(relations("mimic_iv").filter(lambda each: each.order != "during"))
    of_patient, of_stay = (
        condition_words(each, Query(Goal("count", of), (each,)))
        for scope in ("patient", "admission")
        for each in [replace(found, relation=replace(near, scope=scope), alternatives=())]
    )
    assert of_patient.count("at any time of the patient") == 1
    assert of_stay.count("of the same hospital stay") == 1


def test_a_single_condition_on_patients_is_of_any_time() -> None:
    sepsis = Condition("diagnosis", named("diagnosis", ["sepsis"]))
    woman = Condition("sex", ((Role("patient", "sex"), Term("female")),))
    words = to_words(Query(Goal("count"), (woman, sepsis)))
    assert words == ("Count of patients.", "Female.", "Diagnosed with 'sepsis'.")
