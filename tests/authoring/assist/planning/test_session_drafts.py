"""Drafts of abstract questions: they ask for what two earlier turns were about."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.authoring.assist.made_drafts import WARFARIN, bound, lab, order, recorded, told
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.gates.implicitness import topic_faults
from wardround.authoring.assist.planning import reasoning_turns
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.reading_turns import drafts, stands_beside
from wardround.authoring.assist.planning.storylines import is_connected
from wardround.authoring.assist.planning.told_risks import is_new_area
from wardround.benchmarks.assist.sessions import Subtype, TaskType

DIAGNOSIS = Finding(
    "main_diagnosis",
    Entity("stay", ""),
    PlannedCall("Condition.search", {}),
    {"diagnosis": recorded("diagnosis", "heart failure")},
)
CREATININE, POTASSIUM = lab("creatinine", 1.9, "lab_course"), lab("potassium", 4.0, "lab_course")
LATEST, HEMOGLOBIN = lab("potassium", 4.0), lab("hemoglobin", 9.8)
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


def test_a_lookup_means_no_drug_by_it_right_after_one_that_the_patient_bought() -> None:
    account = told("lisinopril", "good")
    bought = replace(account, slots={**account.slots, "other": recorded("drug", "ibuprofen")})
    found = [order("lisinopril"), HEMOGLOBIN]
    types: tuple[TaskType, ...] = ("IL", "DG")
    for type in types:
        for each, is_asked in ((account, True), (bought, False)):
            made = list(drafts(type, "NA", [_turn(each)], found, []))
            about = [draft for draft in made if order("lisinopril") in draft.findings]
            assert bool(about) == is_asked


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
    # Nothing connects warfarin with these drugs, so it comes last.
    assert found == [(LATEST, CREATININE), (LATEST, DIAGNOSIS), (LATEST, ACCOUNT)]


def test_orders_of_one_day_are_not_compared() -> None:
    first, second = order("warfarin"), order("aspirin")
    later = replace(second, slots={**second.slots, "day": recorded("day", "2148-03-29")})
    turns = [_turn(replace(each, kind="given")) for each in (first, second)]
    for other, is_compared in ((second, False), (later, True)):
        asked = list(drafts("DG", "AE", turns, [first, other], ()))
        assert [each.findings for each in asked] == [(first, other)] * is_compared


def test_drugs_are_not_compared_beside_a_third_that_the_patient_bought() -> None:
    doses = [replace(order(name), kind="given") for name in ("sertraline", "aspirin")]
    turns = [_turn(replace(each, kind="order")) for each in doses]
    account = told("sertraline")
    bought = replace(account, slots={"other": recorded("drug", "ibuprofen")})
    for each, is_compared in ((account, True), (bought, False)):
        asked = list(drafts("DG", "AE", [*turns, _turn(each)], doses, ()))
        assert [draft.findings for draft in asked] == [tuple(doses)] * is_compared


@pytest.mark.parametrize(
    ("entity", "told", "connected"),
    [
        (Entity("test", "potassium"), [Entity("drug", "furosemide")], True),
        (Entity("drug", "furosemide"), [Entity("test", "potassium")], True),
        (Entity("drug", "ibuprofen"), [Entity("drug", "lisinopril")], True),
        (Entity("drug", "metoprolol"), [Entity("test", "creatinine")], False),
        (Entity("test", "platelet count"), [Entity("drug", "furosemide")], False),
        (Entity("drug", "glimepiride"), [Entity("drug", "heparin")], False),
    ],
)
def test_rules_connect_drugs_and_tests(entity: Entity, told: list[Entity], connected: bool) -> None:
    assert is_connected(entity, told) == connected


def test_a_course_has_told_its_first_and_latest_value() -> None:
    asked = [_turn(CREATININE)]
    ends = [lab("creatinine", 1.9), lab("creatinine", 1.6, "lab_first")]
    assert not list(drafts("IL", "NA", asked, ends, []))
    assert list(topic_faults([*asked, _turn(ends[0])]))
    assert list(drafts("IL", "NA", [_turn(ends[0])], [CREATININE], []))
    rule = bound("digoxin_creatinine", "digoxin")
    found = list(drafts("CR", "NA", asked, [*ends, order("digoxin")], [rule]))
    assert found
    assert all(each.findings == (order("digoxin"),) for each in found)


def test_a_fragment_names_what_the_lookup_before_is_asked_again_for() -> None:
    aspirin, warfarin = order("aspirin"), order("warfarin")
    turns = [_turn(order("lisinopril"))]
    found = list(drafts("IL", "PE", turns, [aspirin, warfarin, LATEST], []))
    assert [each.findings for each in found if each.echoed == 0] == [(aspirin,), (warfarin,)]
    assert not list(drafts("IL", "PE", [*turns, replace(turns[0], type="DG")], [aspirin], []))


def test_a_name_alone_asks_the_patient_nothing() -> None:
    turns = [_turn(told("aspirin"))]
    assert not [e for e in drafts("IL", "PE", turns, [ACCOUNT], []) if e.echoed is not None]


def test_a_harm_that_a_turn_reasoned_about_is_not_looked_up_again() -> None:
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    first, second = _turn(order("lisinopril")), _turn(order("spironolactone"))
    for rule, is_asked in ((None, True), (harm, False)):
        turns = [first, replace(second, type="CR", rule=rule)]
        assert bool(_asked("IL", turns, harm)) == is_asked


def test_the_earlier_drug_is_the_only_one_that_turns_told() -> None:
    pair = bound("xa_inhibitor_antiplatelet", "apixaban", "aspirin")
    new = [order("apixaban"), HEMOGLOBIN]
    one, two = [_turn(order("aspirin"))], [_turn(order("prednisone")), _turn(order("aspirin"))]
    assert list(drafts("CR", "NA", one, new, [pair]))
    assert not list(drafts("CR", "NA", two, new, [pair]))
    first = [_turn(order("aspirin")), _turn(order("prednisone"))]  # "the drug we began with"
    assert all(each.recalls for each in drafts("CR", "NA", first, new, [pair]))


def test_a_fragment_leaves_out_what_the_turn_before_was_about() -> None:
    first = lab("hemoglobin", 9.8, "lab_first")
    near, far = [_turn(HEMOGLOBIN)], [_turn(HEMOGLOBIN), _turn(ORDER)]
    found = [first, DIAGNOSIS, order("aspirin")]
    types: tuple[TaskType, ...] = ("IL", "DG")
    for type in types:
        assert list(drafts(type, "PE", near, found, ()))
        assert not [e for e in drafts(type, "PE", far, found, ()) if first in e.findings]


def test_a_fragment_names_no_other_test_beside_the_value_that_it_asks_for() -> None:
    first, turns = lab("hemoglobin", 9.8, "lab_first"), [_turn(HEMOGLOBIN)]
    forms: tuple[tuple[Subtype, bool], ...] = (("NA", True), ("PE", False))
    for form, is_asked in forms:
        found = list(drafts("DG", form, turns, [first, CREATININE], ()))
        assert bool(found) == is_asked


@pytest.mark.parametrize(
    ("earlier", "is_asked"),
    [("hyperkalemia", True), ("gastrointestinal hemorrhage", False)],
)
def test_a_new_risk_says_what_it_is_to(earlier: str, is_asked: bool) -> None:
    assert is_new_area("bleeding", [earlier]) == is_asked
    assert not is_new_area("treatment failure", [earlier])
    assert is_new_area("treatment failure", [])


def test_an_abstract_question_asks_for_a_risk_of_another_area(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    turns = [_turn(order("lisinopril")), _turn(order("spironolactone"))]
    assert _asked("CR", turns, harm)
    monkeypatch.setattr(reasoning_turns, "is_new_area", lambda *_: False)
    assert not _asked("CR", turns, harm)


@pytest.mark.parametrize(
    ("kind", "entity", "is_asked"),
    [
        ("main_diagnosis", ORDER.entity, False),
        ("destination", CREATININE.entity, False),
        ("main_diagnosis", CREATININE.entity, True),
        ("person", ORDER.entity, False),
        ("person", CREATININE.entity, True),
        ("followup", CREATININE.entity, True),
    ],
)
def test_nobody_asks_for_a_dose_with_a_code_or_the_date_of_birth(
    kind: str, entity: Entity, is_asked: bool
) -> None:
    other = replace(DIAGNOSIS, kind=kind)
    assert stands_beside(other, entity) == is_asked


def test_a_gathering_adds_no_diagnosis_to_a_dose() -> None:
    for known, focus, is_asked in (
        (ORDER, replace(ORDER, kind="given"), False),
        (LATEST, POTASSIUM, True),
    ):
        found = drafts("DG", "NA", [_turn(known)], [focus, DIAGNOSIS], ())
        assert [each.findings for each in found] == [(focus, DIAGNOSIS)] * is_asked
