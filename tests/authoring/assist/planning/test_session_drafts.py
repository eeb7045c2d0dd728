"""Drafts of abstract questions: they ask for what two earlier turns were about."""

import pytest

from tests.authoring.assist.made_drafts import WARFARIN, lab, order, recorded, told
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.planning.drafts import Draft, drafts
from wardround.benchmarks.assist.tasks import TaskType

DIAGNOSIS = Finding(
    "main_diagnosis",
    Entity("stay", ""),
    PlannedCall("Condition.search", {}),
    {"diagnosis": recorded("diagnosis", "heart failure")},
)
CREATININE, POTASSIUM = lab("creatinine", 1.9, "lab_course"), lab("potassium", 4.0, "lab_course")
ORDER, ACCOUNT = order(WARFARIN.name), told(WARFARIN.name)
FOUND = [CREATININE, POTASSIUM, ACCOUNT, DIAGNOSIS]


def _turn(*findings: Finding) -> Draft:
    return Draft("IL", None, "ehr", findings, named=(findings[0].entity,))


def _asked(type: TaskType, *history: Draft) -> list[tuple[Finding, ...]]:
    found = list(drafts(type, "AE", history, FOUND, []))
    for draft in found:
        assert set(draft.entities).issuperset(entity for entity, _ in draft.omitted)
        assert len({turn for _, turn in draft.omitted}) > 1
    return [draft.findings for draft in found]


def test_a_lookup_is_about_the_only_thing_of_two_turns() -> None:
    assert _asked("IL", _turn(ORDER), _turn(ORDER)) == [(ACCOUNT,)]


@pytest.mark.parametrize("other", [order("aspirin"), DIAGNOSIS])
def test_a_lookup_is_about_nothing_where_two_could_be_meant(other: Finding) -> None:
    assert _asked("IL", _turn(ORDER), _turn(other)) == []


def test_a_gathering_is_about_the_two_entities_of_a_kind() -> None:
    creatinine, potassium = _turn(lab("creatinine", 1.9)), _turn(lab("potassium", 4.0))
    assert (CREATININE, POTASSIUM) in _asked("DG", creatinine, potassium)
    third = _turn(lab("sodium", 140))
    assert (CREATININE, POTASSIUM) not in _asked("DG", creatinine, potassium, third)


def test_a_gathering_is_about_a_drug_and_a_test_of_two_turns() -> None:
    found = _asked("DG", _turn(ORDER), _turn(lab("creatinine", 1.9)))
    assert found == [(CREATININE, ACCOUNT)]


def test_a_gathering_adds_something_new_to_what_two_turns_were_about() -> None:
    found = _asked("DG", _turn(ORDER), _turn(ORDER))
    assert found == [(ACCOUNT, CREATININE), (ACCOUNT, POTASSIUM), (ACCOUNT, DIAGNOSIS)]
