"""A generated question runs on every layout that has its records, the same on every engine."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlglot
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from wardround.ehr.database import open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.query import Bound, Condition, Goal, Period, Query, to_sql, to_words
from wardround.ehr.records import Role, Views, record_map, view
from wardround.ehr.times import Dialect, substitute_current_time, time_filter

FOLDER = TemporaryDirectory()
LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv_star", "mimic_iv", "mimic_iii", "eicu", "omop_5_4")
EVENTS = ("diagnosis", "procedure", "drug", "lab", "vital", "culture", "intake", "output")
NOW = datetime(2150, 12, 31, 23, 59)


class Ward:
    """One hospital in a layout on an engine."""

    def __init__(self, layout: str, dialect: Dialect) -> None:
        path = Path(FOLDER.name) / f"{layout}.{dialect}"
        build_hospital(path, patients=8, seed=3, schema=layout)
        self.database = open_database(str(path))
        tables = self.database.tables()
        records = record_map({t: [c.name for c in self.database.columns(t)] for t in tables})
        assert records
        kinds = records.kinds
        self.views = Views(
            dialect,
            {kind: view(records, kind, dialect) for kind in kinds},
            {kind: records.columns(kind) for kind in kinds},
            records.written,
        )

    def answer(self, query: Query) -> list[tuple[Any, ...]]:
        sql = to_sql(query, self.views)
        text = substitute_current_time(sql, NOW)
        return sorted(map(plain, self.database.execute(text, rows=None).rows))

    @cache  # noqa: B019
    def names(self, kind: str) -> list[str]:
        sql = (
            f"SELECT e.name FROM ({self.views.sql[kind]}) e WHERE e.name IS NOT NULL "
            "GROUP BY e.name ORDER BY COUNT(*) DESC, e.name LIMIT 12"
        )
        return [str(row[0]) for row in self.database.execute(sql).rows]


@cache
def ward(layout: str, dialect: Dialect) -> Ward:
    return Ward(layout, dialect)


def plain(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row to compare: engines differ in the last digits of a mean."""
    return tuple(f"{float(c):.6g}" if isinstance(c, int | float) else str(c) for c in row)


def named(kind: str, names: Sequence[str]) -> tuple[tuple[Role, tuple[str, ...]], ...]:
    return ((Role(kind, "name"), tuple(names)),)


@st.composite
def conditions(draw: st.DrawFn, layout: str, depth: int = 1) -> Condition:
    made = ward(layout, "duckdb")
    kind = draw(st.sampled_from([k for k in EVENTS if made.views.has(k) and made.names(k)]))
    chosen = draw(st.lists(st.sampled_from(made.names(kind)), max_size=2, unique=True))
    bounds, sequel, order = [], None, ""
    if kind in ("lab", "vital") and chosen and draw(st.booleans()):
        bounds = [Bound(draw(st.sampled_from([">", "<", ">="])), draw(st.integers(1, 150)))]
    if depth and draw(st.integers(0, 3)) == 0:
        order = draw(st.sampled_from(["after", "before"]))
        sequel = draw(conditions(layout, depth=0))
    periods = []
    if draw(st.integers(0, 3)) == 0:
        periods = [Period(time_filter("rel-year-since", year=40), draw(st.booleans()))]
    return Condition(
        kind,
        named(kind, chosen) if chosen else (),
        bounds=tuple(bounds),
        count=Bound(">", draw(st.integers(0, 2))) if draw(st.integers(0, 3)) == 0 else None,
        periods=tuple(periods),
        is_in_icu=draw(st.integers(0, 4)) == 0,
        is_negated=draw(st.booleans()),
        sequel=sequel and Condition(sequel.kind, sequel.values, order=order),
    )


@st.composite
def queries(draw: st.DrawFn, layout: str) -> Query:
    found = tuple(draw(st.lists(conditions(layout), max_size=2)))
    if draw(st.integers(0, 2)) == 0:
        found += (Condition("sex", ((Role("patient", "sex"), ("female",)),)),)
    of = draw(st.sampled_from(["patient", "admission", "icu", "drug", "lab", "diagnosis"]))
    shape = draw(st.sampled_from(["count", "share", "exists", "list", "top", "names"]))
    if shape in ("top", "names") and of in ("patient", "admission"):
        of = "drug"
    of = "patient" if shape in ("exists", "list") else of
    part = (draw(conditions(layout)),) if shape == "share" else ()
    return Query(Goal(shape, of, top=draw(st.integers(1, 3))), found, part)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_query_has_the_same_answer_on_every_engine(layout: str) -> None:
    @hypothesis_settings(max_examples=25, deadline=None)
    @given(queries(layout))
    def holds(query: Query) -> None:
        assert ward(layout, "duckdb").answer(query) == ward(layout, "sqlite").answer(query)
        assert to_words(query)

    holds()


@hypothesis_settings(max_examples=25, deadline=None)
@given(queries("ehrsql_mimic_iv"))
def test_a_query_has_the_same_answer_under_a_renaming(query: Query) -> None:
    renamed = ward("mimic_iv_star", "duckdb").answer(query)
    assert renamed == ward("ehrsql_mimic_iv", "duckdb").answer(query)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_a_query_has_one_text_in_each_dialect(dialect: Dialect) -> None:
    views = ward("mimic_iv", "duckdb").views
    query = Query(
        Goal("value", "admission", column="length", function="AVG"),
        (Condition("drug", named("drug", ["Heparin"]), is_in_icu=True),),
    )
    of_dialect = Views(dialect, views.sql, views.columns, views.written)
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
    urgent = Condition("admission", ((Role("admission", "type"), ("urgent",)),))
    heparin = Condition("drug", named("drug", ["heparin"]))
    sql = to_sql(Query(Goal("list"), (urgent, heparin)), views)
    with closing(open_database(str(path))) as database:
        assert [tuple(row) for row in database.execute(sql).rows] == [(2,)]


def test_a_missing_kind_is_named() -> None:
    views = ward("mimic_iv", "duckdb").views
    with pytest.raises(KeyError, match="cost"):
        to_sql(Query(Goal("count", "cost"), ()), views)
