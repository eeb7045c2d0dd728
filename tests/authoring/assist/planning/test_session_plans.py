"""Plans of sessions: what they do about critical results, and what they read."""

from collections import Counter
from datetime import date
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound, lab, order, told
from wardround.authoring.assist.accounts import USUAL
from wardround.authoring.assist.facts.patients import patient_findings
from wardround.authoring.assist.planning import planner
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import is_result
from wardround.authoring.assist.planning.planner import Planner
from wardround.authoring.assist.planning.session_search import Found, SessionSearch
from wardround.authoring.assist.planning.storylines import Storyline
from wardround.authoring.assist.slots import SlotFiller

CELLS = [each for each in cells("suite") if each.tier == 1 and each.arc.count("CR") == 1]
POTASSIUM, CREATININE, ORDER = lab("potassium", 5.8), lab("creatinine", 1.9), order("lisinopril")
OFTEN, SELDOM = (
    tuple(Draft("IL", None, "ehr", (finding,)) for finding in findings)
    for findings in ((POTASSIUM, CREATININE, ORDER), (POTASSIUM, ORDER))
)


def plans(
    filler: SlotFiller,
    critical: tuple[str, ...],
    *,
    leaves: bool = False,
) -> list[tuple[Draft, ...]]:
    """The plans for sparse sessions about the filler's patients with critical results."""
    found = []
    for cell in CELLS:
        for candidate in filler.candidates:
            patient = filler.record.patient(candidate, candidate.discharge)
            maker, day = Planner(Counter(), leaves), candidate.discharge.date()
            memory = filler.accounts.drawn(cell, patient, Random(0), USUAL).memory
            findings = [*patient.findings, *patient_findings(memory)]
            rules = [*patient.rules, bound("warfarin_aspirin", "warfarin", "aspirin")]
            plan = maker.plan(cell, findings, rules, day, Random(0), critical)
            found += [plan] if plan else []
    return found


@pytest.mark.parametrize("test", ["hemoglobin"])
def test_a_session_reads_a_critical_result(filler: SlotFiller, test: str) -> None:
    found = plans(filler, (test,))
    assert found
    for plan in found:
        assert any(is_result(each, test) for draft in plan[:2] for each in draft.findings)


def test_a_result_that_cannot_be_read_leaves_no_session(filler: SlotFiller) -> None:
    assert plans(filler, ("lithium",)) == []


def test_results_that_monitor_a_drug_belong_to_its_storyline() -> None:
    first = bound("beta_blocker_diltiazem", "metoprolol", "diltiazem")
    digoxin = bound("digoxin_diltiazem", "digoxin", "diltiazem")
    cell = Cell("med_safety", 1, ("IL", "CR", "DG", "CR"), ("NA", "PE", "AE"))
    for rules, is_there in (([first, digoxin], True), ([first], False)):
        told_of = Storyline(first, first, rules)
        story = Planner(Counter())._story(cell, told_of, [CREATININE], (), Random(0))
        assert (CREATININE in story) == is_there


def test_nobody_leaves_with_a_critical_result(filler: SlotFiller) -> None:
    assert plans(filler, (), leaves=True)
    assert plans(filler, ("hemoglobin",), leaves=True) == []


def test_a_storyline_that_was_not_drawn_is_tried_at_last(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "storylines", lambda *drawn: iter(()))
    assert plans(filler, ())


def test_a_storyline_without_a_session_in_any_order_is_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "DG"), ("PE", "NA", "AE"))
    drugs = ORDER, order("spironolactone"), told("lisinopril", "good")
    findings = [POTASSIUM, lab("potassium", 5.8, "lab_course"), *drugs]
    rules = [bound("ace_inhibitor_mra", "lisinopril", "spironolactone")]
    searched, sessions = [], SessionSearch.sessions

    def counted(search: SessionSearch) -> Found:
        searched.append(search)
        return sessions(search)

    monkeypatch.setattr(SessionSearch, "sessions", counted)
    again = Planner(Counter())
    for maker in (again, again, Planner(Counter())):
        assert not maker.plan(cell, findings, rules, date(2148, 4, 3), Random(0))
    assert len(searched) == 2


@pytest.mark.parametrize(("observations", "expected"), [(3, OFTEN), (9, SELDOM)])
def test_of_a_storyline_the_session_that_reads_less_is_taken(
    monkeypatch: pytest.MonkeyPatch, observations: int, expected: tuple[Draft, ...]
) -> None:
    monkeypatch.setattr(Planner, "_sessions", lambda self, search: iter([OFTEN, SELDOM]))
    used = Counter(MedicationRequest=3, MedicationAdministration=3, Observation=observations)
    rules = [bound("ace_inhibitor_mra", "lisinopril", "spironolactone")]
    cell = next(each for each in CELLS if each.scenario == "med_safety")
    plan = Planner(used).plan(cell, [], rules, date(2148, 4, 3), Random(0))
    assert plan == expected
