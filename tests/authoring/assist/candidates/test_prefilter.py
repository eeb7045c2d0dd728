"""Stays are chosen for scenarios and tiers by what their tables hold."""

from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apps.commands import Cli
from tests.hospitals import hospital_file
from wardround.authoring.assist.candidates.prefilter import (
    StayFacts,
    candidates,
    supported_tiers,
    ward_round,
)
from wardround.core.errors import UserError
from wardround.ehr.database import open_database

DISCHARGE = datetime(2150, 3, 9, 12)


def facts(
    tests: dict[str, int], orders: int = 3, diagnoses: int = 5, reports: int = 0,
    doses: tuple[str, ...] = (), ended: bool = False,
) -> StayFacts:  # fmt: skip
    """A stay with some tests, and orders of which the first is for warfarin."""
    names = ["Warfarin", *(f"drug {number}" for number in range(orders - 1))]
    end = datetime(2150, 3, 1) if ended else DISCHARGE
    return StayFacts(
        Counter(tests), reports, {f"I{n}" for n in range(diagnoses)},
        dict.fromkeys(names, end), set(doses),
    )  # fmt: skip


def test_a_stay_without_three_active_orders_supports_nothing() -> None:
    assert supported_tiers(facts({"inr(pt)": 3}), DISCHARGE)
    assert supported_tiers(facts({"inr(pt)": 3}, orders=2), DISCHARGE) == {}
    assert supported_tiers(facts({"inr(pt)": 3}, ended=True), DISCHARGE) == {}


def test_a_watched_drug_makes_safety_moderate() -> None:
    assert supported_tiers(facts({"sodium": 3}), DISCHARGE)["med_safety"] == 1
    assert supported_tiers(facts({"inr(pt)": 3}), DISCHARGE)["med_safety"] == 2


def test_reports_and_systems_make_a_workup_richer() -> None:
    tests = {"hemoglobin": 1, "creatinine": 1, "sodium": 1, "inr(pt)": 1}
    tiers = [
        supported_tiers(facts(tests, diagnoses=8, reports=reports), DISCHARGE)
        for reports in (0, 1, 2, 3)
    ]
    assert [each.get("diagnostic_workup") for each in tiers] == [None, 1, 2, 3]


def test_antibiotics_and_their_marker_make_a_response_richer() -> None:
    marked = {"white blood cells": 3, "creatinine": 1, "platelet count": 1}
    doses = [(), ("Aspirin",), ("Ceftriaxone",), ("Ceftriaxone", "Vancomycin"),
             ("Ceftriaxone", "Daptomycin"), ("Ceftriaxone", "Rifaximin")]  # fmt: skip
    tiers = [supported_tiers(facts(marked, doses=each), DISCHARGE) for each in doses]
    assert [each.get("treatment_response") for each in tiers] == [None, None, 2, 3, 3, 2]


def test_a_repeated_test_of_a_given_drug_makes_a_response() -> None:
    results = {"inr(pt)": 3, "potassium": 3, "glucose": 1}
    doses = [(), ("Ibuprofen",), ("Warfarin",), ("Warfarin", "Furosemide", "Hydrochlorothiazide")]
    tiers = [supported_tiers(facts(results, doses=each), DISCHARGE) for each in doses]
    assert [each.get("treatment_response") for each in tiers] == [None, None, 1, 2]


def test_candidates_of_a_hospital_are_in_an_order_of_the_seed(noted_hospital: Path) -> None:
    with closing(open_database(str(noted_hospital))) as database:
        first, again, other = (candidates(database, seed) for seed in (1, 1, 2))
    assert first == again
    assert [each.subject_id for each in first] != [each.subject_id for each in other]
    assert {each.subject_id for each in first} == {each.subject_id for each in other}
    assert len({each.subject_id for each in first}) == len(first) > 10


def test_a_record_without_notes_is_refused() -> None:
    with (
        closing(open_database(str(hospital_file("mimic_iv", 8, seed=3)))) as database,
        pytest.raises(UserError, match=r"has no 'note' records, and sessions need them"),
    ):
        candidates(database, 0)


def test_another_layout_is_refused_and_leaves_no_folder(cli: Cli, tmp_path: Path) -> None:
    database, folder = hospital_file("omop_5_4", 40, seed=5), tmp_path / "sessions"
    made = cli("tasks", "make", "assist", "--database", database, "--to", folder)
    assert made.code == 2
    assert "is not in MIMIC-IV's layout" in made.err
    assert not folder.exists()


@given(
    hours=st.floats(min_value=1, max_value=1_000),
    begin=st.datetimes(min_value=datetime(2150, 1, 1), max_value=datetime(2151, 1, 1)),
    seed=st.integers(),
)
def test_a_ward_round_is_late_in_the_stay_on_a_day_before_its_last(
    hours: float, begin: datetime, seed: int
) -> None:
    end = begin + timedelta(hours=hours)
    time = ward_round(begin, end, Random(seed))
    assert time or hours < 48
    if time:
        assert begin + (end - begin) / 3 - timedelta(hours=1) < time
        assert time.date() < end.date()
        assert end - time <= timedelta(days=3)
        assert 8 <= time.hour < 18
