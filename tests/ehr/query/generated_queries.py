"""Hospitals in several layouts, and questions generated about their records."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from hypothesis import Phase, reject, settings
from hypothesis import strategies as st

from tests.hospitals import KEPT_OPEN, hospital_file
from wardround.ehr.database import Dialect, QueryError, open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.query import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Span,
    Term,
    to_sql,
)
from wardround.ehr.query.model import Order, Scope, TimeUnit, Which
from wardround.ehr.records import RecordMap, Role, Views, record_map, view
from wardround.ehr.times import substitute_current_time, time_filter

LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv_star", "mimic_iv", "mimic_iii", "eicu", "omop_5_4")
EVENTS = ("diagnosis", "procedure", "drug", "lab", "vital", "culture", "intake", "output")
WHICH: tuple[Which, ...] = ("any", "first", "last", "total")
UNITS: tuple[TimeUnit, ...] = ("hour", "day", "week", "month", "year")
GOALS = (
    *(Goal(shape, top=2) for shape in ("count", "share", "exists", "list", "top", "names")),
    *(Goal("aggregate", column="value", function=name) for name in ("MEDIAN", "MAX")),
    Goal("aggregate", column="value", function="MEDIAN", by="name"),
    Goal("aggregate", column="value", function="MEDIAN", per="patient"),
)
STAY_GOALS = (
    Goal("aggregate", column="length", function="MEDIAN"),
    Goal("value", column="time", order="DESC"),
    Goal("value", column="time", order="ASC", top=0),
    Goal("elapsed", order="DESC"),
)
# The number of questions that a test draws: with slow tests, 25.
DRAWN = max(6, settings().max_examples // 4)
# A query that fails may run for long on smaller ones too.
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
NOW = datetime(2150, 12, 31, 23, 59)


class Ward:
    """One hospital in a layout on an engine."""

    def __init__(self, layout: str, dialect: Dialect, location: str = "") -> None:
        if location:
            build_hospital(location, patients=8, seed=3, schema=layout, replace=True)
        path = location or hospital_file(layout, 8, seed=3, ending=dialect)
        self.database = open_database(path)
        tables = self.database.tables()
        records = record_map({t: [c.name for c in self.database.columns(t)] for t in tables})
        assert records
        self.views = views_of(records, dialect)

    def answer(self, query: Query) -> list[tuple[Any, ...]]:
        sql = to_sql(query, self.views)
        text = substitute_current_time(sql, NOW)
        try:
            return sorted(map(plain, self.database.execute(text, rows=None).rows))
        except QueryError as error:
            if error.kind == "limit":  # of calls on SQLite
                reject()
            raise

    @cache  # noqa: B019
    def names(self, kind: str) -> list[str]:
        sql = (
            f"SELECT e.name FROM ({self.views.sql[kind]}) e WHERE e.name IS NOT NULL "
            "GROUP BY e.name ORDER BY COUNT(*) DESC, e.name LIMIT 12"
        )
        return [str(row[0]) for row in self.database.execute(sql).rows]


def views_of(records: RecordMap, dialect: Dialect) -> Views:
    sql = {kind: view(records, kind, dialect) for kind in records.kinds}
    columns = {kind: records.columns(kind) for kind in records.kinds}
    return Views(dialect, sql, columns, records.written)


@cache
def ward(layout: str, dialect: Dialect) -> Ward:
    made = Ward(layout, dialect)
    KEPT_OPEN.enter_context(closing(made.database))
    return made


def plain(row: Sequence[Any]) -> tuple[Any, ...]:
    """A row to compare: engines differ in the last digits of a mean."""
    return tuple(f"{float(c):.6g}" if isinstance(c, int | float) else str(c) for c in row)


def named(kind: str, names: Sequence[str]) -> tuple[tuple[Role, tuple[str, ...]], ...]:
    return ((Role(kind, "name"), tuple(names)),)


@st.composite
def conditions(draw: st.DrawFn, layout: str, scope: Scope = "patient", depth: int = 1) -> Condition:
    made = ward(layout, "duckdb")
    kinds = [k for k in EVENTS if made.views.has(k, scope) and made.names(k)]
    kind = draw(st.sampled_from(kinds))
    chosen = draw(st.lists(st.sampled_from(made.names(kind)), max_size=2, unique=True))
    is_measured = kind in ("lab", "vital") and bool(chosen) and draw(st.booleans())
    bound = Bound(draw(st.sampled_from([">", "<", ">="])), draw(st.integers(1, 150)))
    is_part = bool(chosen) and draw(st.integers(0, 3)) == 0
    parts = ((Role(kind, "name"), (chosen[0][1:5],)),) if is_part else ()
    nested = draw(relations(layout)) if depth and draw(st.integers(0, 2)) == 0 else None
    found = Condition(
        kind,
        named(kind, chosen) if chosen and not parts else (),
        containing=parts,
        bounds=(bound,) if is_measured else (),
        ages=draw(ages()) if made.views.has("patient", "birth") else (),
        which=draw(st.sampled_from(WHICH)) if is_measured else "any",
        periods=draw(periods()),
        is_in_icu=draw(st.integers(0, 4)) == 0,
        relation=nested,
        is_negated=draw(st.booleans()),
        scope=scope,
    )
    if found.which == "any" and draw(st.integers(0, 3)) == 0:
        found = replace(found, count=Bound(">", draw(st.integers(0, 2))), is_negated=False)
    other = (draw(conditions(layout, scope, depth=0)),) if depth and draw(st.booleans()) else ()
    return replace(found, alternatives=other)


@st.composite
def relations(draw: st.DrawFn, layout: str) -> Relation:
    anchor = draw(conditions(layout, depth=0))
    which: Which = draw(st.sampled_from(["any", "first", "last"]))
    order: Order = draw(st.sampled_from(["after", "from", "before", "until"]))
    if draw(st.integers(0, 3)) == 0:
        anchor, order = Condition("icu", which=which), "during"
    anchor = replace(anchor, which=which, bounds=(), count=None, is_negated=False)
    within = Span(draw(st.integers(1, 40)), draw(st.sampled_from(UNITS)))
    by_day = order != "during" and draw(st.booleans())
    return Relation(order, anchor, within=within if draw(st.booleans()) else None, by_day=by_day)


@st.composite
def ages(draw: st.DrawFn) -> tuple[Bound, ...]:
    bound = Bound(draw(st.sampled_from([">", "<="])), draw(st.integers(30, 85)))
    return (bound,) if draw(st.integers(0, 3)) == 0 else ()


@st.composite
def periods(draw: st.DrawFn) -> tuple[Period, ...]:
    is_negated = draw(st.booleans())
    since = Period(time_filter("rel-year-since", year=40), is_negated)
    years = Between(datetime(draw(st.integers(2090, 2110)), 5, 1), datetime(2112, 1, 1))
    name = draw(st.sampled_from(["abs-year-in", "abs-year-until", "abs-year-since"]))
    year = Period(time_filter(name, year=draw(st.integers(2095, 2110))), is_negated)
    choices = ((), (), (since,), (Period(years, is_negated),), (year,))
    return draw(st.sampled_from(choices))


@st.composite
def queries(draw: st.DrawFn, layout: str) -> Query:
    made = ward(layout, "duckdb").views
    kinds = ["patient", "admission", "icu", "drug", "lab", "diagnosis"]
    of = draw(st.sampled_from([kind for kind in kinds if made.has(kind)]))
    goal = draw(st.sampled_from([*GOALS, *(STAY_GOALS if of in ("admission", "icu") else ())]))
    goal = replace(goal, of="lab" if goal.column == "value" else of)
    if goal.shape in ("top", "names") and of in ("patient", "admission"):
        goal = replace(goal, of="drug")
    if goal.shape in ("list", "exists"):
        goal = replace(goal, of="patient")
    # All records know their patient; the stay where the kinds of record tell it.
    scopes: list[Scope] = ["patient"]
    if goal.of == "patient" or made.has(goal.of, "admission"):
        scopes.append("admission")
    each = st.sampled_from(scopes).flatmap(lambda scope: conditions(layout, scope))
    found = tuple(draw(st.lists(each, max_size=2)))
    if draw(st.integers(0, 2)) == 0:
        found += (Condition("sex", ((Role("patient", "sex"), Term("female")),)),)
    if "admission" in scopes and draw(st.integers(0, 3)) == 0:
        ending: Which = draw(st.sampled_from(["any", "first", "last"]))
        long = (Bound(">", draw(st.integers(1, 90)), draw(st.sampled_from(["", "hour"]))),)
        found += (
            Condition("admission", bounds=long, measured="length", which=ending, scope="admission"),
        )
    if goal.of == "admission" and draw(st.booleans()):
        again = Relation("before", Condition("admission"), within=Span(30, "day"), at="finish")
        found += (Condition("admission", relation=again, scope="record"),)
    if goal.of == "admission" and made.has("death", "time") and draw(st.booleans()):
        by_day = draw(st.booleans())
        death = Relation("before", Condition("death"), within=Span(60, "day"), by_day=by_day)
        found += (
            Condition("admission", relation=death, is_negated=draw(st.booleans()), scope="record"),
        )
    part = (draw(each),) if goal.shape == "share" else ()
    return Query(goal, found, part)
