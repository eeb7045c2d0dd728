"""Questions about several findings ask for what is graded, and comparisons have an item."""

import re
from dataclasses import replace
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound, recorded
from tests.authoring.assist.wording import made_turns
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.sources import Computed, Recorded
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.turn_texts import turn_texts
from wardround.benchmarks.assist.sessions import Source, Subtype

BESIDE = made_turns.finding("other_drug", "digoxin")  # tells three things
ALONE = made_turns.finding("adherence", "digoxin")  # tells two
DIGOXIN = bound("digoxin_creatinine", "digoxin")
LONGER = "has been ordered for longer"
ROUTE, DATE = "Names the route of the last given furosemide dose", "Gives the date of the potassium"


def gathered(*findings: Finding) -> tuple[str, str]:
    """The explicit question about some findings, and its items."""
    is_mixed = any("patient" in each.call.tool for each in findings)
    source: Source = "mixed" if is_mixed else "ehr"
    texts = made_turns.texts([Draft("DG", "NA", source, findings)])
    return texts.explicit["en"], " ".join(item.texts["en"] for item in texts.items)


@pytest.mark.parametrize(
    ("kind", "name", "words", "item"),
    [("given", "furosemide", "route", ROUTE), ("lab_latest", "potassium", "date", DATE)],
)
def test_a_third_value_is_graded_only_if_it_is_asked_for(
    kind: str, name: str, words: str, item: str
) -> None:
    found = made_turns.finding(kind, name)
    for other, is_asked in ((BESIDE, False), (ALONE, True)):
        question, items = gathered(other, found)
        assert (words in question) == (item in items) == is_asked


def dosed(name: str, kind: str, time: str) -> Finding:
    """A dose or an order of a drug at a time."""
    found = made_turns.finding(kind, name)
    day = replace(
        recorded("day", time), source=Computed("day", (Recorded(0, 0, "x", "y", time),), time[:10])
    )
    return replace(found, slots={**found.slots, "day": day})


@pytest.mark.parametrize(
    ("kind", "times", "item"),
    [
        ("given", ("2148-04-01T09:00", "2148-04-01T12:00"), "the digoxin dose came later"),
        ("given", ("2148-04-01T12:00", "2148-04-01T09:00"), "the furosemide dose came later"),
        ("given", ("2148-04-01T09:00", "2148-04-01T09:00"), "both doses came at the same time"),
        ("order", ("2148-04-01T09:00", "2148-04-02T07:00"), f"furosemide {LONGER}"),
        ("order", ("2148-04-01T09:00", "2148-04-01T12:00"), "both orders began on the same date"),
    ],
)  # fmt: skip
def test_what_is_compared_has_an_item(kind: str, times: tuple[str, str], item: str) -> None:
    both = (dosed("furosemide", kind, times[0]), dosed("digoxin", kind, times[1]))
    omitted = tuple((each.entity, turn) for turn, each in enumerate(both))
    texts = made_turns.texts([Draft("DG", "AE", "ehr", both, omitted=omitted)])
    assert texts.items[-1].texts["en"] == f"Says that {item}"
    assert texts.items[-1].check


def test_after_a_panel_nobody_has_to_advise_one_of_its_tests() -> None:
    rule, pair = DIGOXIN, bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    found = (made_turns.finding("order", "digoxin"), made_turns.finding("lab_latest", "creatinine"))
    draft = Draft("CR", "NA", "ehr", found, rule)
    for earlier, is_graded in ((rule, True), (pair, False)):
        texts = made_turns.texts([Draft("CR", "NA", "ehr", found[:1], earlier), draft])
        items = [item.texts["en"] for item in texts.items]
        assert any("repeating the creatinine" in item for item in items) == is_graded
        assert len(items) >= 5


def test_who_stops_a_drug_has_no_item_for_not_recommending_it() -> None:
    bought = replace(bound("ssri_nsaid", "sertraline", "ibuprofen"), is_told=True)
    both = replace(bound("ssri_antiplatelet", "sertraline", "aspirin"), tempting="ibuprofen")
    told = Draft("IL", None, "patient", (made_turns.finding("other_drug", "sertraline"),))
    found = (made_turns.finding("lab_latest", "hemoglobin"),)
    drafts = [told, Draft("CR", "NA", "ehr", found, both)]
    graded = []
    for later in ([], [Draft("WU", "NA", "write", (), bought)]):
        texts = turn_texts([*drafts, *later], 1, "2148-04-03", Random(0))
        graded.append([item.texts["en"] for item in texts.items])
    assert "Does not recommend ibuprofen" in graded[0]
    assert "Recommends stopping ibuprofen" in graded[1]
    assert "Does not recommend ibuprofen" not in graded[1]


def test_a_question_of_two_findings_has_a_short_name_for_an_order() -> None:
    found = (made_turns.finding("lab_latest", "creatinine"), made_turns.finding("order", "digoxin"))
    both = made_turns.texts([Draft("CR", "NA", "ehr", found, DIGOXIN)])
    alone = made_turns.texts([Draft("CR", "NA", "ehr", found[1:], DIGOXIN)])
    assert "the latest digoxin order, what risk" in both.explicit["en"]
    assert "since when" in alone.explicit["en"]
    for texts, is_graded in ((both, False), (alone, True)):
        items = [item.texts["en"] for item in texts.items]
        assert any("order began" in item for item in items) == is_graded


@pytest.mark.parametrize(
    ("form", "words"), [("NA", "risk does that combination carry"), ("PE", "risk in combination")]
)
def test_two_orders_are_asked_for_together(form: Subtype, words: str) -> None:
    pair = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    both = tuple(made_turns.finding("order", drug) for drug in (pair.drug, pair.beside))
    draft = Draft(
        "CR", form, "ehr", both, pair, named=(both[1].entity,), omitted=((both[0].entity, 0),)
    )
    assert words in made_turns.texts([draft]).question["en"]


def test_a_clearance_has_its_unit_and_a_score_none() -> None:
    answers = [made_turns.texts(drafts).answer["en"] for _, drafts in made_turns.reasonings()]
    clearances = [each for each in answers if "clearance is" in each]
    assert clearances
    assert all(re.search(r"clearance is [\d.]+ mL/min\.", each) for each in clearances)
    assert any(re.search(r"score is \d+\.", each) for each in answers)
