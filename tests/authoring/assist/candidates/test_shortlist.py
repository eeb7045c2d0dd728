"""The stays that become FHIR are few, small, and shared by the scenarios."""

from dataclasses import replace
from datetime import datetime

import pytest

from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.candidates.shortlist import shortlist
from wardround.authoring.assist.planning.cells import cells
from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario

WANTED = [cell for cell in cells("suite") if cell.tier == 1 and cell.arc.count("CR") == 0][:2]
DISCHARGE = datetime.fromisoformat("2150-03-06")


def candidate(subject: int, rows: int, storyline: int = 0) -> Candidate:
    tiers = {WANTED[0].scenario: 1}
    return Candidate(subject, subject, DISCHARGE, DISCHARGE, tiers, storyline, rows)


def test_the_smallest_records_are_candidates_and_the_longest_storylines_wherever_they_stand() -> (
    None
):
    patients = [candidate(subject, rows=subject, storyline=1) for subject in range(50)]
    chosen = shortlist([*patients, candidate(50, rows=900, storyline=9)], WANTED[:1])
    found = [each.subject_id for each in chosen]
    assert 50 in found
    assert 0 in found
    assert 49 not in found
    assert found == sorted(found)


def test_several_rules_about_one_thing_come_before_a_small_record() -> None:
    linked = [candidate(subject, rows=900 + subject, storyline=2) for subject in range(50)]
    single = [candidate(subject, rows=1, storyline=1) for subject in range(50, 100)]
    chosen = shortlist([*single, *linked], WANTED)
    assert {each.storyline for each in chosen} == {2}


def test_a_candidate_serves_every_scenario_before_another_one_is_taken() -> None:
    able = dict.fromkeys(SCENARIOS, 3)
    patients = [replace(candidate(n, rows=n), tiers=able) for n in range(400)]
    wanted = list(cells("suite"))
    needed = max(sum(c.scenario == scenario for c in wanted) for scenario in SCENARIOS)
    assert needed <= len(shortlist(patients, wanted)) <= 5 * needed


@pytest.mark.parametrize(
    ("scenario", "infected"), [("treatment_response", True), ("med_safety", False)]
)
def test_some_candidates_for_a_response_are_infected(scenario: Scenario, infected: bool) -> None:
    patients = [
        replace(candidate(n, rows=n, storyline=1), tiers={scenario: 3}, is_infected=n > 390)
        for n in range(400)
    ]
    wanted = [cell for cell in cells("suite") if cell.scenario == scenario]
    chosen = shortlist(patients, wanted)
    assert any(each.is_infected for each in chosen) is infected
    assert sum(not each.is_infected for each in chosen) > len(wanted)
