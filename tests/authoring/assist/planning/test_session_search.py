"""The search for the turns of a session: its rules, what it prefers, and storylines."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound, lab, order, told
from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.planning import session_search
from wardround.authoring.assist.planning.cells import Arc, Cell, cells
from wardround.authoring.assist.planning.drafts import Adding, Draft
from wardround.authoring.assist.planning.session_search import SessionSearch, is_varied
from wardround.authoring.assist.planning.storylines import (
    linked_rules,
    longest_story,
    other_storylines,
    storylines,
)
from wardround.authoring.assist.wording import questions

HOLD = bound("ace_inhibitor_potassium", "lisinopril")
PAIR = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
FAR = bound("loop_steroid", "furosemide", "prednisone")
NEAR = bound("loop_potassium", "furosemide")
CELLS = list(cells("suite"))


CREATININE = lab("creatinine", 1.9)


def ended(found: SessionSearch) -> tuple[int, bool]:
    """The number of sessions that a search finds, and what it returns."""
    returned = []

    def sessions() -> Iterator[tuple[Draft, ...]]:
        returned.append((yield from found.sessions()))

    return len(list(sessions())), returned[0]


def about(*findings: Finding) -> Draft:
    """A turn about some findings."""
    return Draft("IL", None, "ehr", findings)


def search(cell: Cell, *findings: Finding) -> SessionSearch:
    """A search over some findings."""
    return SessionSearch(cell, findings, [HOLD, PAIR], date(2148, 4, 3), ["Flag.create"])


def test_one_drug_may_be_in_all_turns_only_beside_another_that_comes_twice() -> None:
    lone = [about(order("lisinopril"))] * 4
    beside = [about(order("lisinopril"), lab("potassium", 5.8))] * 2 + lone[:2]
    apart = [about(order("lisinopril"))] * 3 + [about(order("spironolactone"))]
    assert not is_varied(lone)
    assert is_varied(beside)
    assert is_varied(apart)


def test_no_call_is_made_in_two_turns() -> None:
    latest, course = lab("potassium", 5.8), lab("potassium", 5.8, "lab_course")
    history = [about(latest)]
    found = search(CELLS[0], latest, course, order("lisinopril"))
    left = list(found._unread(history))
    assert left == [order("lisinopril")]


def test_no_resource_is_read_in_three_turns() -> None:
    latest, drug = lab("potassium", 5.8), order("lisinopril")
    found = search(CELLS[0], CREATININE, order("spironolactone"))
    assert list(found._unread([about(latest)])) == [CREATININE, order("spironolactone")]
    two = [about(latest), about(drug), about(lab("sodium", 140))]
    assert list(found._unread(two)) == [order("spironolactone")]


def test_a_search_for_a_level_is_one_of_the_turns_of_its_resource() -> None:
    found, account = search(CELLS[0]), Draft("IL", "PE", "patient", (told("digoxin", "good"),))
    asked = Draft("CR", "NA", "ehr", (order("digoxin"),), searches=(lab("digoxin", 1.2).call,))
    one = (account, about(lab("potassium", 5.8)), about(order("lisinopril")))
    assert found._fits(asked, one)
    assert found._fits(replace(asked, searches=()), (*one[:2], about(CREATININE)))
    assert not found._fits(asked, (*one[:2], about(CREATININE)))


def test_a_critical_result_is_read_in_the_first_turns() -> None:
    found = replace(search(CELLS[0]), critical=["potassium"])
    critical, other = about(lab("potassium", 6.8)), about(order("lisinopril"))
    assert found._reads_critical((other, critical))
    assert not found._reads_critical((other, other, critical))


def test_an_answer_about_a_critical_result_knows_of_each_drug_that_it_forbids() -> None:
    found = replace(search(CELLS[0]), critical=["potassium"])
    ordered = about(order("lisinopril"))
    for rule, needs_order in ((HOLD, True), (PAIR, True), (bound("ssri_sodium", "x"), False)):
        answer = Draft("CR", "NA", "ehr", (), rule)
        assert found._withholds((ordered, answer))
        assert found._withholds((answer,)) != needs_order


def test_the_patient_is_asked_in_one_turn_before_the_write() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "WU"), ("NA", "PE", "AE"))
    found = search(cell)
    account = Draft("IL", "PE", "patient", (told("lisinopril", "good"),))
    two = (about(order("lisinopril")), about(lab("potassium", 5.8)))
    assert found._fits(account, two)
    assert not found._fits(about(order("spironolactone")), two)
    assert not found._fits(account, (two[0], account))


def test_a_required_tool_is_used_while_a_turn_is_left_for_it() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "WU"), ("NA", "PE", "AE"))
    account = Draft("IL", "PE", "patient", (told("lisinopril", "good"),))
    first, last = (about(order("lisinopril")), account), about(lab("potassium", 5.8))
    reads, doses, flags, orders = (
        replace(search(cell), required=tool)
        for tool in (
            "Observation.search",
            "MedicationAdministration.search",
            "Flag.create",
            "patient.get_medication_adherence",
        )
    )
    assert all(each._fits(account, first[:1]) for each in (reads, doses, flags, orders))
    assert [each._fits(last, first) for each in (reads, doses, flags, orders)] == [
        True, False, True, True,
    ]  # fmt: skip


def test_a_search_returns_whether_no_order_of_its_findings_leads_to_a_session() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "DG"), ("PE", "NA", "AE"))
    results = lab("potassium", 5.8), lab("potassium", 5.8, "lab_course")
    drugs = order("lisinopril"), order("spironolactone"), told("lisinopril", "good")
    poor, rich = search(cell, *results, *drugs), search(cell, *results, *drugs, CREATININE)
    assert ended(rich) == (1, False)
    assert ended(replace(rich, passed=1)) == (0, False)
    assert ended(poor) == (0, True)


def potassium_search() -> SessionSearch:
    """The search for a session about a high potassium, which one plan fits."""
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "DG"), ("PE", "NA", "AE"))
    results = lab("potassium", 5.8), lab("potassium", 5.8, "lab_course"), CREATININE
    drugs = order("lisinopril"), order("spironolactone"), told("lisinopril", "good")
    return search(cell, *results, *drugs)


def test_a_session_whose_questions_are_too_long_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = potassium_search()
    assert ended(found)[0] == 1
    monkeypatch.setattr(questions, "_MOST_WORDS", 5)
    assert ended(found)[0] == 0


NEEDS = (
    "_acts", "_acts_on_pressing", "_is_enough", "_leads_to_tool", "_reads_critical",
    "_watches_adding", "_withholds",
)  # fmt: skip


@pytest.mark.parametrize("need", NEEDS)
def test_a_session_meets_each_need(monkeypatch: pytest.MonkeyPatch, need: str) -> None:
    found = potassium_search()
    assert ended(found)[0] == 1
    monkeypatch.setattr(SessionSearch, need, lambda *_: False)
    assert ended(found)[0] == 0


@pytest.mark.parametrize("need", ["is_about", "meets_tier"])
def test_a_session_has_the_subject_and_the_depth_of_its_cell(
    monkeypatch: pytest.MonkeyPatch, need: str
) -> None:
    found = potassium_search()
    monkeypatch.setattr(session_search, need, lambda *_: False)
    assert ended(found)[0] == 0


def test_a_session_reads_the_types_of_resources_that_its_tier_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for least, sessions in ((2, 1), (3, 0)):
        monkeypatch.setattr(session_search, "_RESOURCES", {1: least})
        assert ended(potassium_search())[0] == sessions


def test_a_storyline_of_a_score_has_a_turn_about_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    found = potassium_search()
    monkeypatch.setattr(SessionSearch, "_is_scored", lambda _: True)
    assert ended(found)[0] == 0


@pytest.mark.parametrize("turns_on_it", [True, False])
def test_a_storyline_of_what_the_patient_tells_turns_on_it(
    monkeypatch: pytest.MonkeyPatch, *, turns_on_it: bool
) -> None:
    found = potassium_search()
    told_of = replace(found, rules=[PAIR, replace(HOLD, is_told=True)])
    monkeypatch.setattr(SessionSearch, "_turns_on_it", lambda *_: turns_on_it)
    assert ended(told_of)[0] == turns_on_it


def test_a_session_stops_no_bought_drug_that_nobody_asks_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = potassium_search()
    assert ended(found)[0] == 1
    monkeypatch.setattr(session_search, "stops_unasked", lambda *_: True)
    assert ended(found)[0] == 0


def test_a_session_that_only_looks_again_comes_to_what_acts_as_well() -> None:
    cell = Cell("med_safety", 1, ("IL", "CR", "CR", "DG"), ("NA", "PE", "AE"))
    looks = Draft("CR", "NA", "ehr", (lab("potassium", 5.8),), PAIR)
    acts = Draft("CR", "PE", "ehr", (lab("potassium", 5.8),), HOLD)
    assert search(cell)._is_enough((looks, acts))
    assert search(cell)._is_enough((acts,))
    assert not search(cell)._is_enough((looks,))


def test_a_session_that_reasons_leaves_no_drug_that_its_results_are_against() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "CR"), ("NA", "PE", "AE"))
    potassium, spironolactone = about(lab("potassium", 5.8)), about(order("spironolactone"))
    held, other = about(order("lisinopril")), bound("mra_potassium", "spironolactone")
    acts = Draft("CR", "AE", "ehr", (), HOLD)
    passes = Draft("CR", "AE", "ehr", (), FAR)
    for turns, is_right in (
        ((potassium, held, acts), True),
        ((potassium, held, passes), False),
        ((held, passes), True),
        ((potassium, passes), True),
        ((potassium, held), True),
    ):
        assert search(cell)._acts(turns) == is_right
    steroid = bound("steroid_glucose", "prednisone")
    given = about(order("prednisone"), lab("glucose", 290))
    two = replace(search(cell), rules=[FAR, steroid])
    assert not two._acts((given, passes))
    assert two._acts((about(order("prednisone")), passes))
    both = replace(search(cell), rules=[HOLD, other])
    assert both._acts((potassium, held, acts))
    assert not both._acts((potassium, held, spironolactone, acts))


def test_a_pressing_result_that_a_call_finds_is_told_and_acted_on() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "CR"), ("NA", "PE", "AE"))
    found = replace(search(cell), pressing=["potassium"])
    latest, first = about(lab("potassium", 5.8)), about(lab("potassium", 4.9, "lab_first"))
    acts = Draft("CR", "AE", "ehr", (), HOLD)
    passes = Draft("CR", "AE", "ehr", (), bound("ssri_sodium", "sertraline"))
    for turns, is_heeded in (
        ((latest, acts), True),
        ((latest, passes), False),
        ((first, acts), False),
        ((first, latest, acts), True),
        ((about(lab("creatinine", 1.9)), passes), True),
        ((latest,), True),
        ((first,), False),
    ):
        assert found._acts_on_pressing(turns) == is_heeded
    assert search(cell)._acts_on_pressing((first, passes))


def test_a_drug_that_adds_to_a_risk_is_watched() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "CR"), ("NA", "PE", "AE"))
    digoxin = bound("digoxin_creatinine", "digoxin")
    adding = (Adding("furosemide", "digoxin_loop"),)
    asks = Draft("CR", "AE", "ehr", (), digoxin, adding=adding)
    panel = Draft("CR", "NA", "ehr", (), bound("digoxin_loop", "digoxin", "furosemide"))
    assert not search(cell)._watches_adding(asks, (asks,))
    assert search(cell)._watches_adding(asks, (about(lab("potassium", 4.0)), asks))
    assert search(cell)._watches_adding(asks, (panel, asks))


@pytest.mark.parametrize("arc", [("IL", "IL", "IL", "CR"), ("IL", "CR", "CR", "CR")])
def test_no_session_advises_about_digoxin_without_kidneys_and_potassium(
    arc: Arc,
) -> None:
    found = search(Cell("med_safety", 1, arc, ("NA", "PE", "AE")))
    asks = Draft("CR", "AE", "ehr", (), bound("digoxin_loop", "digoxin", "furosemide"))
    potassium, creatinine = about(lab("potassium", 4.0)), about(lab("creatinine", 1.0))
    assert not found._has_evidence((potassium, asks))
    assert not found._has_evidence((creatinine, asks))
    assert found._has_evidence((potassium, creatinine, asks))


def test_a_storyline_goes_on_to_what_stands_beside_its_first_rule() -> None:
    steroid, apart = bound("steroid_glucose", "prednisone"), bound("ssri_sodium", "sertraline")
    assert linked_rules(NEAR, [NEAR, FAR, steroid, apart]) == [NEAR, FAR, steroid]


def test_a_storyline_does_one_thing_with_each_drug() -> None:
    other = bound("loop_steroid", "furosemide", "dexamethasone")
    given, contrary = (bound("steroid_glucose", drug) for drug in ("prednisone", "dexamethasone"))
    contrary = replace(contrary, rule=replace(contrary.rule, name="contrary", action="hold"))
    rules = [NEAR, FAR, other, given, contrary]
    assert linked_rules(NEAR, rules) == [NEAR, FAR, other, given]


def test_a_storyline_begins_with_what_the_patient_tells() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "DG"), ("NA", "PE", "AE"))
    first = replace(HOLD, is_told=True)
    found = storylines(cell, [PAIR, first], [PAIR, first], [PAIR], Random(0))
    assert [each.first for each in found] == [first]


def test_an_abstract_question_of_reasoning_rests_on_two_arguments() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "CR"), ("NA", "PE", "AE"))
    assert longest_story(cell, [[HOLD]]) == 1
    assert longest_story(cell, [[bound("potassium_low")]]) == 0


def test_a_storyline_has_a_rule_that_its_abstract_question_can_rest_on() -> None:
    cell = next(each for each in CELLS if each.arc[2] == "IL" and each.forms[1] == "AE")
    assert longest_story(cell, [linked_rules(HOLD, [HOLD])]) == 0
    assert longest_story(cell, [linked_rules(HOLD, [HOLD, PAIR])]) == 2
    assert list(storylines(cell, [HOLD], [HOLD], [HOLD], Random(0))) == []
    [found] = storylines(cell, [HOLD, PAIR], [HOLD], [HOLD], Random(0))
    assert (found.first, found.abstract) == (HOLD, PAIR)
    assert Entity("drug", "spironolactone") in found.entities


def test_other_storylines_begin_with_rules_that_were_not_drawn() -> None:
    cell = Cell("med_safety", 1, ("IL", "IL", "IL", "DG"), ("NA", "PE", "AE"))
    apart = bound("ssri_sodium", "sertraline")
    rules = [HOLD, PAIR, apart]
    drawn = list(storylines(cell, rules, [HOLD], [], Random(0)))
    others = list(other_storylines(cell, rules, rules, drawn))
    assert [each.rules for each in others] == [[apart]]
    told_first = [replace(HOLD, is_told=True), apart]
    assert not list(other_storylines(cell, rules, told_first, drawn))
