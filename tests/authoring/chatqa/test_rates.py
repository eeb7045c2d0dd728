"""Rates: the share of stays or patients that meet one condition more."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from random import Random

import pytest

from tests.authoring.chatqa.conftest import HOSPITALS, NOW, STAR_FIRST, opened_records
from tests.hospitals import built
from wardround.authoring.chatqa.asked_records import AskedRecords, open_records
from wardround.authoring.chatqa.increments import (
    Increment,
    fault_of_words,
    increments,
    reason_to_drop,
)
from wardround.authoring.chatqa.other_readings import AMBIGUOUS, Meanings
from wardround.authoring.chatqa.rates import other_limits, wrong_rates
from wardround.authoring.chatqa.wishes import Wish
from wardround.ehr.database import open_database
from wardround.ehr.hospital.prepared import build_prepared_hospital
from wardround.ehr.query import Condition, Goal, Query, Relation, Span, to_words
from wardround.ehr.records import Role, records_of

DRAWN = 40
PATIENTS = Goal("share", "patient")
STAYS = Goal("share", "admission")


@pytest.fixture(
    scope="module", params=(*STAR_FIRST, pytest.param("eicu_star", marks=pytest.mark.slow))
)
def layout(request: pytest.FixtureRequest) -> str:
    """The layout of the hospital."""
    return str(request.param)


@pytest.fixture(scope="module")
def records(layout: str) -> Iterator[AskedRecords]:
    """The records of a hospital of eighty patients."""
    if layout in HOSPITALS:
        yield opened_records(layout)
        return
    path = built(
        "eicu_star-80-5.sqlite",
        lambda path: build_prepared_hospital(path, schema="eicu_star", patients=80, seed=5),
    )
    with closing(open_database(str(path))) as database:
        yield open_records(database, records_of(database), NOW, ())


@pytest.fixture(scope="module")
def drawn(records: AskedRecords) -> list[Increment]:
    return list(islice(increments(records, 2, Random(4), goals=("rate",)), DRAWN))


def number(records: AskedRecords, query: Query) -> float:
    return float(str(records.rows(query)[0][0]))


def test_a_kept_rate_is_the_share_of_those_counted(
    layout: str, records: AskedRecords, drawn: list[Increment]
) -> None:
    kept = [draft for draft in drawn if not reason_to_drop(draft, records)]
    assert len(kept) == {"mimic_iv_star": 11, "omop_5_4": 16, "eicu_star": 7}[layout]
    assert {draft.goal.of for draft in kept} == {"admission", "patient"}
    for draft in kept:
        query = draft.query
        count = Goal("count", draft.goal.of)
        whole = number(records, Query(count, query.conditions))
        part = number(records, Query(count, (*query.conditions, *query.part)))
        assert whole >= 3
        assert 0 < part < whole
        assert number(records, query) == pytest.approx(100 * part / whole)
        for other in wrong_rates(query):
            assert records.rows(other) != records.rows(query)
        for left_out in query.conditions:
            others = tuple(each for each in query.conditions if each is not left_out)
            assert records.rows(replace(query, conditions=others)) != records.rows(query)


def test_all_that_a_rate_is_of_is_said(drawn: list[Increment]) -> None:
    for draft in drawn:
        goal, *others = to_words(draft.query)
        assert goal.startswith("Percentage of")
        assert [text.startswith("Of them: ") for text in others] == [False, False, True]


def died_within(days: int, *, is_negated: bool = False) -> Condition:
    relation = Relation("before", Condition("death"), within=Span(days, "day"), by_day=True)
    return Condition("admission", relation=relation, is_negated=is_negated, scope="record")


@pytest.mark.parametrize("days", [30, 365])
def test_mortality_is_what_the_dates_say(records: AskedRecords, days: int) -> None:
    admissions, deaths = (
        records.database.execute(
            f"SELECT patient, {key}time FROM ({records.views.sql[kind]}) AS t", rows=None
        ).rows
        for kind, key in (("admission", "admission, "), ("death", ""))
    )
    ends = {str(patient): day_of(time) for patient, time in deaths}
    stays = {str(stay): (str(patient), day_of(time)) for patient, stay, time in admissions}
    limit = timedelta(days)
    dead = [
        stay
        for stay, (patient, day) in stays.items()
        if patient in ends and timedelta() <= ends[patient] - day <= limit
    ]
    assert dead
    mortality = number(records, Query(STAYS, (), (died_within(days),)))
    assert mortality == pytest.approx(100 * len(dead) / len(stays))
    survival = number(records, Query(STAYS, (), (died_within(days, is_negated=True),)))
    assert survival == pytest.approx(100 - mortality)


def day_of(time: object) -> datetime:
    return datetime.fromisoformat(str(time)[:10])


def rate_of(records: AskedRecords, base: slice, part: slice) -> Increment:
    """The share of some patients who are also among others, all of them named."""
    everybody = sorted({stay.patient for stay in records.stays.values()}, key=int_or_text)

    def among(chosen: slice) -> Condition:
        return Condition("patient", ((Role("patient", "patient"), tuple(everybody[chosen])),))

    asked = Wish("goal.rate.patients.died", {}, among(part))
    return Increment(PATIENTS, asked, (Wish("condition", {}, among(base)),))


def int_or_text(patient: str) -> tuple[int, str]:
    return (int(patient) if patient.isdecimal() else 0, patient)


@pytest.mark.parametrize(
    ("base", "part", "reason"),
    [
        (slice(0, 8), slice(6, 12), ""),
        (slice(0, 2), slice(1, 12), "fewer than three patients"),
        (slice(0, 8), slice(8, 12), "no result"),
        (slice(0, 8), slice(0, 12), "a rate of everything"),
        (slice(0, 8), slice(4, 20), "another rate with the same answer"),  # half of them
        (slice(0, 8), slice(6, 14), "another rate with the same answer"),  # as many the other way
        (slice(0, 80), slice(0, 9), "a condition that changes nothing"),
    ],
)
def test_faults_of_a_rate_are_found(
    records: AskedRecords, base: slice, part: slice, reason: str
) -> None:
    assert reason_to_drop(rate_of(records, base, part), records) == reason


def test_a_limit_that_changes_nothing_is_a_fault(records: AskedRecords) -> None:
    draft = rate_of(records, slice(0, 25), slice(0, 9))
    long = replace(draft.asked, condition=died_within(36_500))
    assert reason_to_drop(replace(draft, goal=STAYS, asked=long), records) == (
        "another rate with the same answer"
    )


def test_other_limits_and_words_of_what_a_share_is_of_are_read(
    records: AskedRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = Query(STAYS, (), (died_within(30),))
    relations = [other.part[0].relation for other in other_limits(query)]
    assert [(each.by_day, each.within) for each in relations if each] == [
        (False, Span(30, "day")),
        (True, Span(29, "day")),
    ]
    assert not list(other_limits(replace(query, part=(Condition("death"),))))

    draft = rate_of(records, slice(0, 8), slice(6, 12))
    assert fault_of_words(draft, records) == ""
    other = rate_of(records, slice(0, 8), slice(5, 12)).query.part[0]
    monkeypatch.setattr(Meanings, "_other_conditions", lambda meanings, condition: iter([other]))
    assert fault_of_words(draft, records) == AMBIGUOUS
