"""Patient sampling and time shifts."""

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ehr.ingest.preparation.made_up import (
    Patient,
    Stay,
    eicu,
    mimic_iii,
    ward,
    write_official,
)
from tests.ehr.ingest.preparation.prepared import ask, prepare_quietly
from wardround.ehr.ingest.preparation import Plan
from wardround.ehr.ingest.preparation.patient_steps import sample
from wardround.ehr.ingest.preparation.time_steps import shift_of
from wardround.ehr.ingest.preparation.visits import Window

FORM = "%Y-%m-%d %H:%M:%S"
# Preparations that a property draws: four with slow tests.
DRAWN = max(2, settings().max_examples // 25)


def stays(lengths: list[int]) -> tuple[Stay, ...]:
    return tuple(Stay(300 * 1440 * place, length) for place, length in enumerate(lengths))


PATIENTS = st.lists(
    st.builds(
        lambda days, minute, lengths: (
            datetime(2110, 1, 1) + timedelta(days=days, minutes=minute),
            stays(lengths),
        ),
        st.integers(0, 40_000),
        st.integers(0, 1439),
        st.lists(st.integers(10, 100_000), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=DRAWN)
@given(PATIENTS, st.integers(0, 3))
def test_times_of_a_patient_shift_together_by_whole_days(
    people: list[tuple[datetime, tuple[Stay, ...]]], seed: int
) -> None:
    patients = [Patient(n, 50, first, stays) for n, (first, stays) in enumerate(people, 1)]
    rows = mimic_iii(patients)
    with TemporaryDirectory() as folder:
        source = write_official(Path(folder) / "iii.duckdb", "mimic_iii", rows)
        target = Path(folder) / "made.sqlite"
        prepare_quietly(source, target, Plan(seed=seed, skip=frozenset({"shuffle", "units"})))
        labs = ask(target, "SELECT subject_id, valuenum, charttime FROM labevents")
        visits = ask(target, "SELECT subject_id, min(admittime) FROM admissions GROUP BY 1")
    before = {row["valuenum"]: row["charttime"] for row in rows["labevents"]}
    moved: dict[int, set[timedelta]] = {}
    for person, mark, time in labs:
        moved.setdefault(person, set()).add(datetime.strptime(time, FORM) - before[mark])
    assert labs
    assert all(len(by) == 1 and not min(by).seconds for by in moved.values())
    assert len(visits) == len(people)
    assert all("2100-01-01" <= first <= "2105-12-31 23:59:00" for _, first in visits)


def test_skipped_shift_leaves_times_unchanged(tmp_path: Path) -> None:
    rows = mimic_iii(ward(5))
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", rows)
    plan = Plan(skip=frozenset({"shift", "now", "ages"}))
    prepare_quietly(source, tmp_path / "made.sqlite", plan)
    result = ask(tmp_path / "made.sqlite", "SELECT hadm_id, admittime FROM admissions")
    official = {(row["hadm_id"], row["admittime"].strftime(FORM)) for row in rows["admissions"]}
    assert set(result) == official


WINDOWS = st.builds(
    lambda person, earliest, days, current: Window(
        person,
        earliest,
        earliest + days,
        tuple(sorted({earliest + c % (days + 1) for c in current})),
    ),
    st.integers(0, 10**6),
    st.integers(-1000, 1000),
    st.integers(0, 400),
    st.lists(st.integers(0, 400), max_size=30),
)


@given(WINDOWS, st.sampled_from([None, True, False]), st.integers(0, 99))
def test_shift_satisfies_the_requested_status(
    window: Window, current: bool | None, seed: int
) -> None:
    possible = {None: 1, True: len(window.current), False: window.others}[current]
    if not possible:
        return
    shift = shift_of(window, current, seed)
    assert window.earliest <= shift <= window.latest
    assert current is None or (shift in window.current) == current


@given(st.lists(WINDOWS, max_size=40, unique_by=lambda w: w.person), st.integers(0, 50))
def test_sample_has_the_share_of_current_patients(people: list[Window], patients: int) -> None:
    chosen = sample(people, patients, 0.1, 0)
    able = sum(bool(window.current) for window in people)
    only = sum(not window.others for window in people)
    expected = min(patients, len(people))
    assert sum(chosen.values()) == min(round(expected * 0.1), able)
    assert expected - only <= len(chosen) <= expected


def test_shifts_are_uniform() -> None:
    draws = [shift_of(Window(person, 0, 9, (4,)), False, 0) for person in range(9000)]
    counts = [draws.count(day) for day in range(10)]
    assert counts[4] == 0
    assert all(850 < count < 1150 for day, count in enumerate(counts) if day != 4)


def test_longer_stays_are_more_often_current() -> None:
    people = [Window(n, 0, 2000, tuple(range(1 + 9 * (n % 2)))) for n in range(4000)]
    chosen = sample(people, 2000, 0.1, 0)
    current = [person for person, is_in in chosen.items() if is_in]
    assert len(current) == 200
    assert sum(int(person) % 2 for person in current) == 185


@settings(max_examples=DRAWN)
@given(
    st.lists(st.lists(st.integers(100, 300_000), min_size=1, max_size=5), min_size=1, max_size=4)
)
def test_eicu_stays_of_a_person_do_not_overlap(people: list[list[int]]) -> None:
    with TemporaryDirectory() as folder:
        source = write_official(Path(folder) / "eicu.duckdb", "eicu", eicu(people))
        target = Path(folder) / "made.sqlite"
        prepare_quietly(source, target, Plan(skip=frozenset({"now"})))
        result = ask(
            target,
            "SELECT uniquepid, hospitaladmittime, hospitaldischargetime, patienthealthsystemstayid"
            " FROM patient ORDER BY 1, 2",
        )
    assert len(result) == sum(map(len, people))
    for person, came, went, stay in result:
        length = datetime.strptime(went, FORM) - datetime.strptime(came, FORM)
        assert length == timedelta(minutes=people[int(person[2:])][stay % 100])
        assert came.endswith("10:30:00")
    for (person, _, ended, _), (next_person, began, *_) in pairwise(result):
        assert person != next_person or ended < began


@pytest.mark.parametrize("now", [datetime(2100, 12, 31, 23, 59), datetime(2105, 6, 1, 12)])
def test_current_time_is_a_parameter(now: datetime, tmp_path: Path) -> None:
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", mimic_iii(ward(20)))
    prepare_quietly(source, tmp_path / "made.sqlite", Plan(now=now, current=0.5))
    ((latest, open_),) = ask(
        tmp_path / "made.sqlite",
        "SELECT max(charttime), (SELECT count(*) FROM admissions WHERE dischtime IS NULL)"
        " FROM labevents",
    )
    assert latest <= now.strftime(FORM)
    assert open_ > 0


@pytest.mark.parametrize("skip", [(), ("sample",)])
def test_open_stays_of_the_source_are_current(skip: tuple[str, ...], tmp_path: Path) -> None:
    rows = mimic_iii(Patient(n, 50, datetime(2110 + n, 1, 1, 12)) for n in range(30))
    openly = [dict(stay) | {"dischtime": None} for stay in rows["admissions"][:6]]
    rows = {**rows, "admissions": [*openly, *rows["admissions"][6:]]}
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", rows)
    prepare_quietly(source, tmp_path / "made.sqlite", Plan(current=0.2, skip=frozenset(skip)))
    sql = "SELECT subject_id, admittime FROM admissions WHERE dischtime IS NULL"
    result = dict(ask(tmp_path / "made.sqlite", sql))
    assert result.keys() == set(range(6)) if not skip else result.keys() >= set(range(6))
    assert min(result.values()) > "2105-12-26 23:59:00"
    assert ask(tmp_path / "made.sqlite", "SELECT count(*) FROM patients") == [(30,)]


def test_open_stays_remain_open_without_shift(tmp_path: Path) -> None:
    rows = mimic_iii(Patient(n, 50, datetime(2101, n, 1, 12)) for n in range(1, 11))
    openly = dict(rows["admissions"][0]) | {"dischtime": None}
    rows = {**rows, "admissions": [openly, *rows["admissions"][1:]]}
    source = write_official(tmp_path / "iii.duckdb", "mimic_iii", rows)
    effects = prepare_quietly(source, tmp_path / "made.sqlite", Plan(skip=frozenset({"shift"})))
    assert [effect.note for effect in effects if effect.step == "sample"] == [
        "of 1,000 asked for; 1 in hospital now"
    ]


@pytest.mark.parametrize("minutes", [None, 3000])
def test_eicu_stay_without_an_end_is_included(minutes: int | None, tmp_path: Path) -> None:
    rows = eicu([[3000, 2000]])
    rows = {
        **rows,
        "patient": [
            dict(stay) | ({"hospitaldischargeoffset": None} if place == 0 and not minutes else {})
            for place, stay in enumerate(rows["patient"])
        ],
    }
    source = write_official(tmp_path / "eicu.duckdb", "eicu", rows)
    prepare_quietly(source, tmp_path / "made.sqlite", Plan(skip=frozenset({"sample", "now"})))
    result = ask(
        tmp_path / "made.sqlite",
        "SELECT patientunitstayid, hospitaldischargetime IS NULL FROM patient"
        " ORDER BY hospitaladmittime",
    )
    assert result == ([(0, 0), (1, 0)] if minutes else [(1, 0), (0, 1)])
