"""Drafts of abstract questions: they ask for what two earlier turns were about."""

from collections.abc import Sequence
from dataclasses import replace

from tests.authoring.assist.made_drafts import WARFARIN, bound, lab, order, recorded, told
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.benchmarks.assist.sessions import TaskType

DIAGNOSIS = Finding(
    "main_diagnosis",
    Entity("stay", ""),
    PlannedCall("Condition.search", {}),
    {"diagnosis": recorded("diagnosis", "heart failure")},
)
CREATININE, POTASSIUM = lab("creatinine", 1.9, "lab_course"), lab("potassium", 4.0, "lab_course")
LATEST = lab("potassium", 4.0)
ORDER, ACCOUNT = order(WARFARIN.name), told(WARFARIN.name)
FOUND = [CREATININE, POTASSIUM, LATEST, ACCOUNT, DIAGNOSIS]


def _turn(*findings: Finding) -> Draft:
    return Draft("IL", None, "ehr", findings, named=(findings[0].entity,))


def _asked(
    type: TaskType, history: Sequence[Draft], *rules: BoundRule
) -> list[tuple[Finding, ...]]:
    found = list(drafts(type, "AE", history, FOUND, rules))
    for draft in found:
        assert set(draft.entities).issuperset(entity for entity, _ in draft.omitted)
        assert len({turn for _, turn in draft.omitted}) > 1
    return [draft.findings for draft in found]


def test_a_lookup_is_about_the_result_that_shows_the_harm_of_two_turns() -> None:
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    turns = [_turn(order("lisinopril")), _turn(order("spironolactone"))]
    assert _asked("IL", turns, harm) == [(LATEST,)]
    assert _asked("IL", [_turn(order("lisinopril"), order("spironolactone"))] * 1, harm) == []
    assert _asked("IL", [*turns, _turn(lab("potassium", 4.0, "lab_first"))], harm) == []


def test_all_of_that_is_asked_for_only_where_it_is_what_does_the_harm() -> None:
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    turns = [_turn(order("lisinopril")), _turn(order("spironolactone"))]
    bought = told("lisinopril")
    bought = replace(bought, slots={**bought.slots, "other": recorded("drug", "ibuprofen")})
    assert _asked("IL", [*turns, _turn(order("metoprolol"))], harm) == []
    assert _asked("IL", [*turns, _turn(bought)], harm) == []


def test_a_lookup_is_about_nothing_where_harm_would_show_in_two_results() -> None:
    turns = [_turn(order("lisinopril")), _turn(order("spironolactone")), _turn(order("ibuprofen"))]
    both = (
        bound("ace_inhibitor_mra", "lisinopril", "spironolactone"),
        bound("ace_inhibitor_nsaid", "lisinopril", "ibuprofen"),
    )
    assert _asked("IL", turns, *both) == []


def test_one_thing_of_two_turns_is_asked_for_by_no_phrase() -> None:
    turns = [_turn(ORDER), _turn(ORDER)]
    assert _asked("IL", turns) == _asked("DG", turns) == []


def test_a_gathering_is_about_the_two_entities_of_a_kind() -> None:
    creatinine, potassium = _turn(lab("creatinine", 1.9)), _turn(lab("potassium", 4.0))
    assert (CREATININE, POTASSIUM) in _asked("DG", [creatinine, potassium])
    third = _turn(lab("sodium", 140))
    assert (CREATININE, POTASSIUM) not in _asked("DG", [creatinine, potassium, third])


def test_a_gathering_adds_something_new_to_the_result_that_shows_a_harm() -> None:
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    turns = [_turn(order("lisinopril")), _turn(order("spironolactone"))]
    found = _asked("DG", turns, harm)
    assert found == [(LATEST, CREATININE), (LATEST, ACCOUNT), (LATEST, DIAGNOSIS)]


def test_a_fragment_names_what_the_lookup_before_is_asked_again_for() -> None:
    aspirin, warfarin = order("aspirin"), order("warfarin")
    turns = [_turn(order("lisinopril"))]
    found = list(drafts("IL", "PE", turns, [aspirin, warfarin, LATEST], []))
    assert [each.findings for each in found if each.echoed == 0] == [(aspirin,), (warfarin,)]
    assert not list(drafts("IL", "PE", [*turns, replace(turns[0], type="DG")], [aspirin], []))
