"""Drafts of turns that ask for several things at once."""

import pytest

from tests.authoring.assist.made_drafts import WARFARIN, lab, order, recorded
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.planning.drafts import Draft, drafts

DIAGNOSIS = Finding(
    "main_diagnosis",
    Entity("stay", ""),
    PlannedCall("Condition.search", {}),
    {"diagnosis": recorded("diagnosis", "heart failure")},
)
COURSE = lab("creatinine", 1.9, "lab_course")


def _turn(finding: Finding) -> Draft:
    return Draft("IL", None, "ehr", (finding,), named=(finding.entity,))


@pytest.mark.parametrize(
    ("second", "is_asked"),
    [("creatinine", True), ("potassium", False)],
)
def test_how_it_all_moved_is_asked_of_one_test_only(second: str, is_asked: bool) -> None:
    history = [_turn(order(WARFARIN.name)), _turn(lab("creatinine", 1.9)), _turn(lab(second, 4.0))]
    found = list(drafts("DG", "AE", history, [COURSE, DIAGNOSIS], []))
    assert [draft.findings for draft in found] == ([(COURSE, DIAGNOSIS)] if is_asked else [])
    assert all({turn for _, turn in draft.omitted} == {0, 1, 2} for draft in found)
