"""Recognition of time filters in queries of every dialect and in the published ones."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies
from sqlglot import exp, parse_one

from tests.cases import for_each
from tests.ehr.times.filter_strategies import filters
from wardround.ehr.database import Dialect
from wardround.ehr.times import (
    RowChoice,
    TimeFilter,
    condition,
    extract_filters,
    fill_filters,
    pair_condition,
    query_time_filters,
    recognise,
    row_choice,
    time_filter,
    visit_choice,
)
from wardround.ehr.times.model import Moment

_DATA = Path(__file__).parents[4] / "shared" / "data"
_DIALECTS: tuple[Dialect, ...] = ("sqlite", "duckdb", "postgres")
_dialects = strategies.sampled_from(_DIALECTS)
_STAYS = {
    "hospital": ("admissions", "admittime", "dischtime"),
    "icu": ("icustays", "intime", "outtime"),
}


def _parse(sql: str, dialect: Dialect = "sqlite") -> exp.Expression:
    tree = parse_one(sql, read=dialect)
    assert isinstance(tree, exp.Expression)
    return tree


def _choice(filter: TimeFilter, dialect: Dialect) -> RowChoice:
    """The filter in a select over events, or over stays."""
    if filter.template.role == "within":
        column = {"hospital": "hadm_id", "icu": "stay_id"}.get(filter.template.unit, "charttime")
        return RowChoice(pair_condition(filter, f"t1.{column}", f"t2.{column}", dialect), "")
    if filter.template.unit in _STAYS:
        table, start, end = _STAYS[filter.template.unit]
        return visit_choice(filter, f"{table}.{start}", f"{table}.{end}", dialect)
    if filter.template.role == "exact":
        return row_choice(filter, "charttime", dialect)
    return RowChoice(condition(filter, "charttime", dialect), "")


def _query(filter: TimeFilter, dialect: Dialect, before: str = "x = 1") -> exp.Expression:
    where, order = _choice(filter, dialect)
    wheres = " AND ".join(part for part in (before, where, "y = 2") if part)
    inner = f"SELECT hadm_id FROM events WHERE {wheres} {order}"
    return _parse(f"SELECT z FROM more WHERE hadm_id IN ({inner})", dialect)


@given(filter=filters(lambda template: True), dialect=_dialects)
def test_written_filters_are_recognised(filter: TimeFilter, dialect: Dialect) -> None:
    (result,) = query_time_filters(_query(filter, dialect))
    assert result.filter == filter


@given(
    filter=filters(lambda template: template.unit not in _STAYS and template.role == "global"),
    dialect=_dialects,
)
def test_single_conditions_are_recognised(filter: TimeFilter, dialect: Dialect) -> None:
    result = recognise(_parse(condition(filter, "t.charttime", dialect), dialect))
    assert result is not None
    assert result.filter == filter
    assert [column.sql() for column in result.columns] == ["t.charttime"]


@given(filter=filters(lambda template: True), dialect=_dialects)
def test_extract_and_fill_are_inverse(filter: TimeFilter, dialect: Dialect) -> None:
    query = _query(filter, dialect)
    places, extracted = extract_filters(query)
    assert extracted == (filter,)
    assert query_time_filters(places) == ()
    assert fill_filters(places, extracted, dialect).sql(dialect) == query.sql(dialect)


@given(
    first=filters(lambda template: template.role == "global" and template.unit not in _STAYS),
    second=filters(lambda template: template.role == "global" and template.unit not in _STAYS),
    source=_dialects,
    target=_dialects,
)
def test_placeholders_accept_another_filter(
    first: TimeFilter, second: TimeFilter, source: Dialect, target: Dialect
) -> None:
    places, _ = extract_filters(_query(first, source))
    written = fill_filters(places, [second], target).sql(target)
    assert query_time_filters(_parse(written, target))[0].filter == second


def test_equal_filters_share_a_number() -> None:
    since = "strftime('%Y', charttime) >= '2100'"
    query = f"SELECT a FROM t WHERE {since} AND b IN (SELECT b FROM u WHERE {since})"
    places, extracted = extract_filters(_parse(query))
    assert extracted == (time_filter("abs-year-since", year=2100),)
    assert places.sql("sqlite").count("TIME_CONDITION(0, charttime)") == 2


@given(
    first=filters(lambda template: template.role == "exact"),
    second=filters(lambda template: template.role == "exact"),
    dialect=_dialects,
)
def test_exact_times_are_interchangeable(
    first: TimeFilter, second: TimeFilter, dialect: Dialect
) -> None:
    places, _ = extract_filters(_query(first, dialect))
    written = fill_filters(places, [second], dialect).sql(dialect)
    (result,) = query_time_filters(_parse(written, dialect))
    assert result.filter == second
    if isinstance(first.template.meaning, Moment) == isinstance(second.template.meaning, Moment):
        assert written == _query(second, dialect).sql(dialect)


@pytest.mark.parametrize(
    ("query", "without"),
    [
        ("SELECT a FROM t WHERE datetime(charttime) = datetime(x.charttime)", "SELECT a FROM t"),
        ("SELECT a FROM t WHERE b = 1 AND strftime('%Y', charttime) = '2100'",
         "SELECT a FROM t WHERE b = 1"),
        ("SELECT a FROM t WHERE strftime('%Y', charttime) = '2100' AND b = 1",
         "SELECT a FROM t WHERE b = 1"),
        ("SELECT a FROM t ORDER BY charttime DESC LIMIT 1 OFFSET 1", "SELECT a FROM t"),
        ("SELECT a FROM t ORDER BY b DESC, charttime ASC LIMIT 1",
         "SELECT a FROM t ORDER BY b DESC"),
        ("SELECT a FROM t WHERE id IN (SELECT id FROM admissions WHERE b = 1 "
         "AND dischtime IS NOT NULL ORDER BY admittime DESC LIMIT 1)",
         "SELECT a FROM t WHERE id IN (SELECT id FROM admissions WHERE b = 1)"),
    ],
)  # fmt: skip
def test_placeholders_can_be_dropped(query: str, without: str) -> None:
    places, extracted = extract_filters(_parse(query))
    assert fill_filters(places, [None] * len(extracted)).sql("sqlite") == without


@for_each([
        # A question for the length of the last stay is about a row; other questions about a visit.
        ("SELECT dischtime FROM admissions WHERE dischtime IS NOT NULL "
         "ORDER BY admittime DESC LIMIT 1",
         ["exact-last"]),
        ("SELECT age FROM admissions WHERE dischtime IS NOT NULL ORDER BY admittime DESC LIMIT 1",
         ["rel-hosp-last"]),
        ("SELECT a FROM t ORDER BY b, charttime LIMIT 1", ["exact-first"]),
        ("SELECT a FROM t ORDER BY charttime LIMIT 1 OFFSET 2", []),
        ("SELECT a FROM t ORDER BY charttime LIMIT 3", []),
        ("SELECT a FROM t ORDER BY valuenum DESC LIMIT 1", []),
        ("SELECT a FROM t GROUP BY b HAVING MIN(x) = x AND strftime('%Y', x) = '2100'",
         ["abs-year-in"]),
        ("SELECT a FROM t WHERE "
         "(datetime(p) BETWEEN datetime(q) AND datetime(q, '+2 month')) OR b = 1",
         ["within-n_month"]),
        ("SELECT a FROM t JOIN admissions ON t.hadm_id = admissions.hadm_id", []),
        ("SELECT a FROM t1, t2 WHERE t1.subject_id = t2.subject_id", []),
        ("SELECT a FROM t WHERE transfers.outtime IS NULL", []),
        ("SELECT a FROM t WHERE strftime('%y-%m', x) >= '2105-08'", ["abs-month-since"]),
        ("SELECT a FROM t WHERE x = '2103-09-16 14:24:00'", ["exact-default"]),
        ("SELECT a FROM t WHERE strftime('%Y-%m', x) >= '2105-13'", []),
        ("SELECT a FROM t WHERE strftime('%Y-%m', x) >= '2105-1'", []),
        ("SELECT a FROM t WHERE strftime('%J', x) = '2105'", []),
        ("SELECT a FROM t WHERE h <> (SELECT h FROM admissions WHERE dischtime IS NULL)", []),
        ("SELECT a FROM t WHERE h NOT IN (SELECT h FROM admissions WHERE dischtime IS NULL)", []),
        ("SELECT a FROM t WHERE h IN (SELECT h FROM admissions WHERE dischtime IS NULL)",
         ["rel-hosp-cur"]),
        ("SELECT a FROM t WHERE "
         "datetime(x, 'start of year') = datetime(current_time, 'start of year', '-2 year')",
         []),
        ("SELECT a FROM t WHERE datetime(x) >= datetime(y, '-2 year')", []),
    ])  # fmt: skip
def test_recognised_templates(query: str, ids: list[str]) -> None:
    tree = _parse(query)
    assert [result.filter.template.id for result in query_time_filters(tree)] == ids


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize(("day", "ids"), [("01", ["abs-month-since"]), ("02", [])])
def test_period_comparisons_need_the_start_of_the_unit(
    dialect: Dialect, day: str, ids: list[str]
) -> None:
    since = f"date_trunc('month', x) >= TIMESTAMP '2105-01-{day} 00:00:00'"
    tree = _parse(f"SELECT a FROM t WHERE {since}", dialect)
    assert [result.filter.template.id for result in query_time_filters(tree)] == ids


def test_placeholders_refuse_filters_of_another_kind() -> None:
    places, _ = extract_filters(_parse("SELECT a FROM t ORDER BY charttime LIMIT 1"))
    with pytest.raises(TypeError, match="is not an exact time"):
        fill_filters(places, [time_filter("rel-year-last")])
    with pytest.raises(IndexError):
        fill_filters(places, [])


def _published() -> Iterator[str]:
    """Published queries that differ in more than their values."""
    path = _DATA / "ehrsql-2024" / "train" / "label.json"
    shapes: dict[str, str] = {}
    for query in json.loads(path.read_text()).values():
        shape = re.sub(r"= '[^']*'|IN \( '[^)]*'|\d+", "?", query)
        shapes.setdefault(shape, query)
    yield from [query for query in shapes.values() if query != "null"]


@pytest.mark.integration
@pytest.mark.skipif(
    not _DATA.exists(), reason="no published queries: their time filters are not tried"
)
def test_published_queries_survive_extract_and_fill() -> None:
    for query in _published():
        tree = _parse(query)
        # The only difference: they write an exact time without marking it as one.
        expected = re.sub(
            r"(\w+\.\w+time) = ('\d{4}-[^']*')", r"DATETIME(\1) = \2", tree.sql("sqlite")
        )
        assert fill_filters(*extract_filters(tree)).sql("sqlite") == expected


@pytest.mark.skipif(
    not _DATA.exists(), reason="no published queries: their time filters are not tried"
)
@pytest.mark.parametrize("name", ["mimic_iii", "eicu"])
def test_published_tags_match_recognised_filters(name: str) -> None:
    questions = json.loads((_DATA / "ehrsql-1.5" / name / "valid.json").read_text())
    answerable = [question for question in questions if not question["is_impossible"]]
    for question in answerable[::3]:
        result = {
            query_time_filter.filter.template.id
            for query_time_filter in query_time_filters(_parse(question["query"]))
        }
        assert result == {tag for tag in question["t_tag"] if tag}
