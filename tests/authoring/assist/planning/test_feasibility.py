"""Conditions of a storyline: what lacks something has no session, and is not searched."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound, lab, order, told
from wardround.authoring.assist.accounts import USUAL
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.patients import patient_findings
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.feasibility import Material, most_reasons
from wardround.authoring.assist.planning.planner import Planner
from wardround.authoring.assist.planning.session_search import SessionSearch
from wardround.authoring.assist.slots import SlotFiller

HOLD = bound("ace_inhibitor_potassium", "lisinopril")
PAIR = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
POTASSIUM, LISINOPRIL = lab("potassium", 5.8), order("lisinopril")
SPIRONOLACTONE, ACCOUNT = order("spironolactone"), told("lisinopril", "good")
ALL = (POTASSIUM, LISINOPRIL, SPIRONOLACTONE, ACCOUNT)
READS = Cell("med_safety", 1, ("IL", "IL", "DG", "CR"), ("NA", "PE", "AE"))
REASONS = Cell("med_safety", 1, ("IL", "CR", "CR", "DG"), ("NA", "AE", "PE"))
WRITES = Cell("med_safety", 1, ("IL", "IL", "DG", "WU"), ("NA", "PE", "AE"))


@pytest.mark.parametrize(
    ("cell", "findings", "rules"),
    [
        (READS, (POTASSIUM, LISINOPRIL, SPIRONOLACTONE), [HOLD, PAIR]),
        (REASONS, ALL, [HOLD]),
        (REASONS, (LISINOPRIL, SPIRONOLACTONE, ACCOUNT), [HOLD, PAIR]),
        (replace(REASONS, tier=3), (POTASSIUM, ACCOUNT), [HOLD, replace(HOLD, drug="")]),
        (WRITES, (LISINOPRIL, SPIRONOLACTONE, ACCOUNT), [replace(HOLD, drug="")]),
    ],
    ids=["nobody to ask", "one rule", "no result", "one drug", "nothing to order"],
)
def test_a_storyline_that_lacks_something_is_refused(
    cell: Cell, findings: tuple[Finding, ...], rules: list[BoundRule]
) -> None:
    assert Material(REASONS, ALL, [HOLD, PAIR], ["Flag.create"]).suffices()
    assert not Material(cell, findings, rules, ["MedicationRequest.create"]).suffices()


def test_a_drug_that_is_not_taken_needs_an_order_to_be_given_by() -> None:
    untaken = bound("loop_untaken", "furosemide", is_told=True)
    findings = lab("ntprobnp", 2100), told("furosemide"), LISINOPRIL, POTASSIUM
    material = Material(READS, (*findings, order("furosemide")), [untaken], [])
    assert material.suffices()
    dose = replace(order("furosemide"), kind="given")
    assert not replace(material, findings=(*findings, dose)).suffices()


def test_advice_about_digoxin_needs_the_results_that_monitor_it() -> None:
    rule = bound("digoxin_loop", "digoxin", "furosemide")
    findings = lab("potassium", 4.0), order("digoxin"), order("furosemide"), told("digoxin", "good")
    material = Material(READS, (*findings, lab("creatinine", 1.0)), [rule], [])
    assert material.suffices()
    assert not replace(material, findings=findings).suffices()


def test_turns_of_reasoning_need_rules_that_share_a_drug_or_test() -> None:
    far = bound("loop_potassium", "furosemide")
    findings = (POTASSIUM, LISINOPRIL, SPIRONOLACTONE)
    assert most_reasons([HOLD, PAIR], [], findings) == 2
    assert most_reasons([HOLD, PAIR], [], findings[1:]) == 1
    assert most_reasons([HOLD], [bound("warfarin_untaken", "warfarin", is_told=True)], ALL) == 1
    assert most_reasons([HOLD], [replace(PAIR, is_told=True)], ALL) == 2
    assert most_reasons([PAIR, far], [], (*findings, order("furosemide"))) == 1


def test_what_is_refused_has_no_session(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = []

    def searched(self: Planner, search: SessionSearch) -> Iterator[tuple[Draft, ...]]:
        material = Material(search.cell, search.findings, search.rules, search.writes)
        found = list(islice(search.sessions(), 1))
        if not material.suffices():
            assert not found
            refused.append(search)
        yield from found

    monkeypatch.setattr(Planner, "_sessions", searched)
    planned = 0
    for place, cell in enumerate(list(cells("suite"))[::4]):
        for candidate in filler.candidates[:24]:
            time = candidate.ward_round or candidate.discharge
            patient = filler.record.patient(candidate, time)
            memory = filler.accounts.drawn(cell, patient, Random(place), USUAL).memory
            findings = [*patient.findings, *patient_findings(memory)]
            day = time.date()
            plan = Planner(Counter()).plan(cell, findings, patient.rules, day, Random(place))
            planned += plan is not None
            assert not plan or patient.reasons >= cell.arc.count("CR")
    assert planned
    assert refused
