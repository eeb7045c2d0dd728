"""Time templates: wording, SQL, value ranges and legal combinations."""

import csv
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from tests.cases import for_each
from tests.ehr.times.filter_strategies import filters, times
from wardround.ehr.times import (
    TimeFilter,
    TimeTag,
    accepts,
    all_templates,
    condition,
    filter_text,
    pair_condition,
    row_choice,
    span,
    time_filter,
    value_range,
    visit_choice,
)
from wardround.ehr.times import is_legal as is_legal

_HERE = Path(__file__).parent
_NOW = datetime(2105, 6, 15, 12)


def _read(text: str) -> TimeFilter:
    """A filter as the case files write it: "abs-month-since year=2102 month=7"."""
    id, *values = text.split()
    return time_filter(id, **{name: int(value) for name, value in (v.split("=") for v in values)})


def _rows() -> list[dict[str, str]]:
    with (_HERE / "templates.tsv").open() as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _tags() -> list[tuple[str, bool]]:
    lines = (_HERE / "tags.txt").read_text().splitlines()
    cases = [line.rsplit("|", 1) for line in lines if line and not line.startswith("#")]
    return [(tag, verdict.strip() == "legal") for tag, verdict in cases]


def _sql(filter: TimeFilter) -> str:
    role, unit = filter.template.role, filter.template.unit
    if role == "within":
        name = "stay" if unit in ("hospital", "icu") else "at"
        return pair_condition(filter, f"{name}1", f"{name}2", "sqlite")
    if unit in ("hospital", "icu"):
        return " ".join(visit_choice(filter, "started", "ended", "sqlite")).strip()
    if role == "exact":
        return " ".join(row_choice(filter, "at", "sqlite")).strip()
    return condition(filter, "at", "sqlite")


@for_each(_rows())
def test_each_template_has_its_wording_and_sql(row: dict[str, str]) -> None:
    filter = _read(f"{row['id']} {row['values']}")
    assert filter_text(filter) == row["words"]
    assert _sql(filter) == row["SQLite"]


def test_all_rows_of_the_published_table_exist() -> None:
    assert [row["id"] for row in _rows()] == [template.id for template in all_templates()]
    roles = Counter(template.role for template in all_templates())
    assert roles == {"global": 39, "within": 9, "exact": 5}
    assert len({template.meaning for template in all_templates()}) == 53


def test_count_of_one_is_singular() -> None:
    assert filter_text(time_filter("rel-year-since", year=1)) == "since 1 year ago"
    assert filter_text(time_filter("within-n_day", day=1)) == "within 1 day"


@pytest.mark.parametrize(
    ("id", "values", "message"),
    [
        ("abs-month-in", {"year": 2100}, "takes year, month, not"),
        ("rel-year-last", {"year": 1}, "takes no values, not"),
        ("abs-month-in", {"year": 2100, "month": 13}, "13 is no month"),
        ("rel-year-since", {"year": 0}, "0 is no year"),
        ("abs-day-in", {"year": 2101, "month": 2, "day": 29}, "day"),
        ("mix-day-this_year", {"month": 2, "day": 30}, "day"),
    ],
)
def test_invalid_values_are_refused(id: str, values: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        time_filter(id, **values)


def test_value_range_depends_on_the_template() -> None:
    assert 2031 in value_range(time_filter("rel-day-since", day=1).template, "day")
    assert 32 not in value_range(time_filter("mix-day-this_month", day=1).template, "day")
    with pytest.raises(KeyError, match="has no value 'year'"):
        value_range(time_filter("mix-day-this_month", day=1).template, "year")


@for_each(_tags())
def test_legal_combinations_of_filters(tag: str, expected: bool) -> None:
    """Now is noon of 15 June 2105."""
    slots = dict(part.strip().split(": ") for part in tag.split(","))
    assert (
        is_legal(TimeTag(**{slot: _read(text) for slot, text in slots.items()}), _NOW) == expected
    )


def test_tag_ids_follow_the_slots() -> None:
    tag = TimeTag(global1=time_filter("rel-year-last"), exact1=time_filter("exact-first"))
    assert tag.ids == ("rel-year-last", "", "", "exact-first", "")


@given(
    filter=filters(lambda time: time.role == "global" and time.unit not in ("hospital", "icu")),
    now=times,
    time=times,
)
@settings(deadline=None)
def test_span_covers_the_accepted_times(filter: TimeFilter, now: datetime, time: datetime) -> None:
    try:
        first, last = span(filter, now)
    except ValueError:
        assert not accepts(filter, time, now)
        assert not is_legal(TimeTag(global1=filter), now)
    else:
        assert accepts(filter, time, now) == (first <= time <= last)
        assert all(accepts(filter, edge, now) for edge in (first, last.replace(microsecond=0)))


@given(
    time=times,
    count=strategies.integers(1, 100),
    unit=strategies.sampled_from(["year", "month", "day"]),
)
@settings(deadline=None)
def test_shifts_match_sqlite(time: datetime, count: int, unit: str) -> None:
    filter = time_filter(f"rel-{unit}-until", **{unit: count})
    with closing(sqlite3.connect(":memory:")) as connection:
        modifier = f"-{count} {unit}"
        ((then,),) = connection.execute("SELECT datetime(?, ?)", (str(time), modifier))
    assert span(filter, time)[1] == datetime.fromisoformat(then)


def test_span_boundaries() -> None:
    assert span(time_filter("rel-month-last"), _NOW) == (
        datetime(2105, 5, 1),
        datetime(2105, 5, 31, 23, 59, 59),
    )
    assert span(time_filter("abs-year-until", year=2100), _NOW)[1] == datetime(
        2100, 12, 31, 23, 59, 59
    )
    with pytest.raises(TypeError, match="has no span"):
        span(time_filter("rel-hosp-cur"), _NOW)
