"""Time filters select the same rows on every engine and in Python."""

import itertools
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.ehr.times.filter_strategies import filters, times
from wardround.ehr.database import Database, Dialect, open_database
from wardround.ehr.times import (
    TimeFilter,
    TimeTemplate,
    accepts,
    accepts_pair,
    condition,
    pair_condition,
    row_choice,
    substitute_current_time,
    time_filter,
    visit_choice,
)
from wardround.ehr.times.model import Unit

# All run on databases.
pytestmark = pytest.mark.integration

_AT = [
    datetime(year, month, day, *clock)
    for year in (2099, 2100, 2104, 2105)
    for month, day in ((1, 1), (2, 28), (3, 1), (3, 3), (3, 31), (5, 31), (12, 31))
    for clock in ((0, 0, 0), (12, 30, 1), (23, 59, 0))
]
_LATER = [0, 1, 86400, 31 * 86400, 366 * 86400]
_PAIRS = [
    (first, first + timedelta(seconds=step * sign))
    for first, step, sign in itertools.product(_AT[::5], _LATER, (1, -1))
]
_QUICK = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def _statements(type: str) -> Iterator[str]:
    yield f"CREATE TABLE row_times (id INTEGER, time_at {type}, day DATE)"
    for number, at in enumerate(_AT):
        yield f"INSERT INTO row_times VALUES ({number}, '{at}', '{at.date()}')"
    yield f"INSERT INTO row_times VALUES ({len(_AT)}, NULL, NULL)"
    yield f"CREATE TABLE pairs (id INTEGER, first {type}, second {type})"
    for number, (first, second) in enumerate(_PAIRS):
        yield f"INSERT INTO pairs VALUES ({number}, '{first}', '{second}')"
    yield f"CREATE TABLE stays (id INTEGER, started {type}, ended {type})"
    yield "INSERT INTO stays VALUES (1, '2100-01-02 00:00:00', '2100-01-03 00:00:00')"
    yield "INSERT INTO stays VALUES (2, '2100-01-01 00:00:00', '2100-01-02 00:00:00')"
    yield "INSERT INTO stays VALUES (3, '2100-02-01 00:00:00', '2100-02-02 00:00:00')"
    yield "INSERT INTO stays VALUES (4, '2100-03-01 00:00:00', NULL)"
    yield "INSERT INTO stays VALUES (5, NULL, '2100-02-02 00:00:00')"


@pytest.fixture(scope="module", params=[pytest.param(name, marks=needs(name)) for name in ENGINES])
def timed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Database, Dialect]]:
    engine: Dialect = request.param
    type = "TEXT" if engine == "sqlite" else "TIMESTAMP"
    with made_database(engine, tmp_path_factory.mktemp("times"), [*_statements(type)]) as location:
        database = open_database(location)
        yield database, engine
        database.close()


def _ids(database: Database, sql: str, now: datetime) -> list[object]:
    return [row[0] for row in database.execute(substitute_current_time(sql, now), rows=None).rows]


def _about_one_time(template: TimeTemplate) -> bool:
    return template.unit not in ("hospital", "icu") and (
        template.role == "global" or template.id == "exact-default"
    )


def _about_two_times(template: TimeTemplate) -> bool:
    return template.role == "within" and template.unit not in ("hospital", "icu")


@given(filter=filters(_about_one_time), now=times)
@_QUICK
def test_conditions_match_evaluation(
    timed: tuple[Database, Dialect], filter: TimeFilter, now: datetime
) -> None:
    database, dialect = timed
    query = f"SELECT id FROM row_times WHERE {condition(filter, 'time_at', dialect)} ORDER BY id"
    meant = [number for number, at in enumerate(_AT) if accepts(filter, at, now)]
    assert _ids(database, query, now) == meant


@given(filter=filters(_about_one_time), now=times)
@_QUICK
def test_dates_are_compared_as_midnight(
    timed: tuple[Database, Dialect], filter: TimeFilter, now: datetime
) -> None:
    database, dialect = timed
    query = f"SELECT id FROM row_times WHERE {condition(filter, 'day', dialect)} ORDER BY id"
    midnights = [datetime(at.year, at.month, at.day) for at in _AT]
    meant = [number for number, at in enumerate(midnights) if accepts(filter, at, now)]
    assert _ids(database, query, now) == meant


@given(
    filter=filters(_about_one_time), now=times, known_to=st.sampled_from(["day", "month", "year"])
)
@_QUICK
def test_a_time_known_to_a_unit_is_accepted_if_a_moment_of_it_is(
    timed: tuple[Database, Dialect], filter: TimeFilter, now: datetime, known_to: Unit
) -> None:
    database, dialect = timed
    test = condition(filter, "time_at", dialect, known_to)
    found = _ids(database, f"SELECT id FROM row_times WHERE {test} ORDER BY id", now)
    assert found == [n for n, at in enumerate(_AT) if accepts(filter, at, now, known_to)]
    exact = [n for n, at in enumerate(_AT) if accepts(filter, at, now)]
    assert set(exact) <= set(found)


@given(filter=filters(_about_two_times))
@_QUICK
def test_conditions_on_two_times(timed: tuple[Database, Dialect], filter: TimeFilter) -> None:
    database, dialect = timed
    where = pair_condition(filter, "first", "second", dialect)
    meant = [number for number, pair in enumerate(_PAIRS) if accepts_pair(filter, *pair)]
    query = f"SELECT id FROM pairs WHERE {where} ORDER BY id"
    assert _ids(database, query, _AT[0]) == meant


@pytest.mark.parametrize(
    ("id", "row"), [("rel-hosp-first", 5), ("rel-hosp-last", 3), ("rel-icu-cur", 4)]
)
def test_visit_conditions_match_evaluation(
    timed: tuple[Database, Dialect], id: str, row: int
) -> None:
    database, dialect = timed
    where, order = visit_choice(time_filter(id), "started", "ended", dialect)
    assert _ids(database, f"SELECT id FROM stays WHERE {where} {order}", _AT[0]) == [row]


@pytest.mark.parametrize(
    ("id", "row"),
    [("exact-first", 2), ("exact-second", 1), ("exact-second_to_last", 3), ("exact-last", 4)],
)
def test_rank_conditions_match_evaluation(
    timed: tuple[Database, Dialect], id: str, row: int
) -> None:
    database, dialect = timed
    _, order = row_choice(time_filter(id), "started", dialect)
    query = f"SELECT id FROM stays WHERE started IS NOT NULL {order}"
    assert _ids(database, query, _AT[0]) == [row]


@pytest.mark.parametrize(
    ("now", "id", "then"),
    [
        (datetime(2100, 3, 31, 5), "rel-month-since", datetime(2100, 3, 3, 5)),
        (datetime(2105, 2, 28), "rel-year-until", datetime(2104, 2, 28)),
        (datetime(2104, 2, 29), "rel-year-until", datetime(2103, 3, 1)),
    ],
)
def test_missing_days_overflow_into_the_next_month(
    timed: tuple[Database, Dialect], now: datetime, id: str, then: datetime
) -> None:
    database, dialect = timed
    where = condition(time_filter(id, **{id.split("-")[1]: 1}), "time_at", dialect)
    instants = [then - timedelta(seconds=1), then, then + timedelta(seconds=1)]
    for at in instants:
        (row,) = database.execute(
            substitute_current_time(f"SELECT {where} FROM (SELECT '{at}' AS time_at) AS one", now)
        ).rows
        assert bool(row[0]) == (at >= then if "since" in id else at <= then)
