"""Questions about several findings ask for what is graded, and comparisons have an item."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from tests.authoring.assist.made_drafts import bound, lab, recorded
from tests.authoring.assist.wording import made_turns
from wardround.authoring.assist.facts.findings import Entity, Finding, Slot
from wardround.authoring.assist.facts.sources import Computed, Recorded
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.wording.item_checks import finding_check
from wardround.authoring.assist.wording.turn_texts import turn_texts
from wardround.benchmarks.assist.sessions import LANGUAGES, Source, Subtype

BESIDE = made_turns.finding("other_drug", "digoxin")  # tells three things
ALONE = made_turns.finding("adherence", "digoxin")  # tells two
DIGOXIN = bound("digoxin_creatinine", "digoxin")
Made = tuple[str, list[Draft]]
LONGER = "order has stood unchanged for longer"
HEMOGLOBIN = ("lab_latest", "hemoglobin")
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
        ("order", ("2148-04-01T09:00", "2148-04-02T07:00"), f"the furosemide {LONGER}"),
    ],
)  # fmt: skip
def test_what_is_compared_has_an_item(kind: str, times: tuple[str, str], item: str) -> None:
    both = (dosed("furosemide", kind, times[0]), dosed("digoxin", kind, times[1]))
    omitted = tuple((each.entity, turn) for turn, each in enumerate(both))
    texts = made_turns.texts([Draft("DG", "AE", "ehr", both, omitted=omitted)])
    assert texts.items[-1].texts["en"] == f"Says that {item}"
    assert texts.items[-1].check


def test_a_value_is_checked_to_its_last_decimal() -> None:
    for value, decimals in ((4, 0), (4.5, 1), (4.25, 2)):
        check = finding_check(lab("potassium", value), ["value"])
        assert check
        assert check["en"]["quantity"].get("decimals", 0) == decimals


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
    assert "and for how long unchanged" in alone.explicit["en"]
    for texts, is_graded in ((both, False), (alone, True)):
        items = [item.texts["en"] for item in texts.items]
        assert any("order began" in item for item in items) == is_graded


@pytest.mark.parametrize(
    ("form", "words"), [("NA", "risk does that combination carry"), ("PE", "risk from both drugs")]
)
def test_two_orders_are_asked_for_together(form: Subtype, words: str) -> None:
    pair = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    both = tuple(made_turns.finding("order", drug) for drug in (pair.drug, pair.beside))
    draft = Draft(
        "CR", form, "ehr", both, pair, named=(both[1].entity,), omitted=((both[0].entity, 0),)
    )
    assert words in made_turns.texts([draft]).question["en"]


@pytest.mark.parametrize(
    ("name", "drug", "found", "words"),
    [
        ("loop_untaken", "furosemide", "adherence", "what is the risk, and"),
        ("ace_inhibitor_nsaid", "lisinopril", "other_drug", "risk with lisinopril"),
    ],
)
def test_nobody_asks_for_the_risk_of_a_drug_that_is_not_taken(
    name: str, drug: str, found: str, words: str
) -> None:
    rule = replace(bound(name, drug, "ibuprofen" if found == "other_drug" else ""), is_told=True)
    draft = Draft("CR", "PE", "patient", (made_turns.finding(found, drug, 1),), rule)
    texts = made_turns.texts([draft])
    assert words in texts.explicit["en"]
    assert "恢复" not in texts.answer["zh"]


@pytest.mark.parametrize(
    ("name", "item"),
    [
        ("digoxin_creatinine", "States the latest creatinine"),
        ("creatinine_rising", "Reports a rise of the creatinine"),
    ],
)
def test_a_rule_about_a_latest_value_rests_on_the_end_of_a_course(name: str, item: str) -> None:
    rule = bound(name, "digoxin" if "digoxin" in name else "")
    told = Draft("IL", None, "ehr", (made_turns.finding("lab_course", "creatinine"),))
    order = made_turns.finding("order", "digoxin")
    texts = made_turns.texts([told, Draft("CR", "NA", "ehr", (order,), rule)])
    items = [item.texts["en"] for item in texts.items]
    about = [each for each in items if "creatinine" in each and "Recommends" not in each]
    assert about[0].startswith(item)


def test_the_result_that_is_asked_for_comes_before_a_second_thing_told() -> None:
    raised = replace(bound("warfarin_aspirin_raised", "warfarin", "aspirin"), is_told=True)
    told, inr = (
        made_turns.finding("other_drug", "warfarin", 1),
        made_turns.finding("vital_value", "inr(pt)"),
    )
    texts = made_turns.texts([Draft("CR", "PE", "mixed", (told, inr), raised)])
    items = [item.texts["en"] for item in texts.items]
    assert items[0] == "Reports that the patient also takes aspirin"
    assert items[1].startswith("States the latest INR as")


def test_a_note_says_why_by_the_risk_where_a_turn_has_told_it() -> None:
    bought = replace(bound("ssri_nsaid", "sertraline", "ibuprofen"), is_told=True)
    told = (made_turns.finding("other_drug", "sertraline"), made_turns.finding(*HEMOGLOBIN))
    turns = [Draft("CR", None, "mixed", told, bought)]
    [order] = [
        each
        for each in order_drafts("NA", turns, [bought], made_turns.DAY, made_turns.TOOLS)
        if each.write.tool == "ServiceRequest.create"
    ]
    items = [item.texts["en"] for item in made_turns.texts([*turns, order]).items]
    assert "The note names the risk of bleeding" in items
    assert not [each for each in items if "note names" in each and "risk" not in each]
    assert len(items) >= 5


def test_a_clearance_has_its_unit_and_a_score_none() -> None:
    answers = [made_turns.texts(drafts).answer["en"] for _, drafts in made_turns.reasonings()]
    clearances = [each for each in answers if "clearance is" in each]
    assert clearances
    assert all(re.search(r"clearance is [\d.]+ mL/min\.", each) for each in clearances)
    assert any(re.search(r"score is \d+\.", each) for each in answers)


def test_of_two_orders_the_question_says_which_it_leaves_out() -> None:
    pair = bound("digoxin_loop", "digoxin", "furosemide")
    found = (made_turns.finding("order", "furosemide"), made_turns.finding("order", "digoxin"))
    account = Draft("IL", None, "patient", (made_turns.finding("adherence", "furosemide"),))
    draft = Draft(
        "CR", "PE", "ehr", found, pair,
        named=(Entity("drug", "digoxin"),), omitted=((Entity("drug", "furosemide"), 0),),
    )  # fmt: skip
    potassium = made_turns.finding("lab_latest", "potassium")
    forms: tuple[tuple[Subtype, Finding, str], ...] = (
        ("NA", found[1], "the earlier drug's latest order"),
        ("PE", found[1], "Given the latest orders of digoxin and the earlier drug: what"),
        ("PE", potassium, "the latest order"),
    )
    for form, second, words in forms:
        last = replace(draft, form=form, findings=(found[0], second))
        question = made_turns.texts([account, last]).question["en"]
        assert words in question
        assert ("earlier" in question) == (second is found[1])


def test_who_never_smoked_is_not_smoking_now() -> None:
    answer = made_turns.texts([Draft("IL", None, "patient", (made_turns.finding("social", ""),))])
    assert " now (" in answer.answer["en"]
    assert "so " not in answer.answer["en"]


# What an item states, by its words, and the words of a question that ask for it.
ASKED = {
    r"^Calls ": "normal",
    r"^Gives the da[yt]e|^Gives the day ": "date|day|when",
    r"^(?!Recommends).*\b(?:ago|yesterday|today)$": "when|day|date|how long|since|time without",
    r"\bdose\b.* as ": "dose|amount|how much|order",
    r"^Names the route": "route",
    r"since the measurement before$": "(?:since|against) the (?:one|reading) before",
    r"^States the first": "first|beginning|from what|moved",
    r"^Says that \d+ diagnoses": "how many|number",
    r"^Gives (?:the|its) code": "code",
}


@pytest.mark.parametrize("maker", [made_turns.lookups, made_turns.gatherings, made_turns.harms])
def test_every_graded_value_is_asked_for(maker: Callable[[], Iterator[Made]]) -> None:
    graded = []
    for label, drafts in maker():
        texts = made_turns.texts(drafts)
        for item in (each.texts["en"] for each in texts.items):
            for pattern in (each for each in ASKED if re.search(each, item)):
                for question in (texts.question["en"], texts.explicit["en"]):
                    assert re.search(ASKED[pattern], question.casefold()), (label, question, item)
                graded.append(pattern)
    assert len({*graded}) > 1


def test_a_first_value_that_is_asked_for_is_graded() -> None:
    asked = 0
    for maker in (made_turns.lookups, made_turns.gatherings, made_turns.reasonings):
        for label, drafts in maker():
            texts = made_turns.texts(drafts)
            items = [item.texts["en"] for item in texts.items]
            if re.search("from first|from what", texts.explicit["en"] + texts.question["en"]):
                asked += 1
                courses = [each for each in drafts[-1].findings if each.kind == "lab_course"]
                firsts = [each for each in items if each.startswith("States the first")]
                assert len(firsts) == len(courses), (label, items)
    assert asked


def test_a_second_value_that_what_follows_is_asked_from_is_graded() -> None:
    asked = {"for how long unchanged": "began", "(day, amount)": "was last given"}
    seen = []
    for label, drafts in made_turns.reasonings():
        texts = made_turns.texts(drafts)
        items = " ".join(item.texts["en"] for item in texts.items)
        for words in (each for each in asked if each in texts.explicit["en"]):
            seen.append(words)
            assert asked[words] in items, (label, texts.explicit["en"], items)
    assert {*seen} == {*asked}


def test_what_follows_from_a_dose_or_a_measurement_grades_what_is_asked_for() -> None:
    graded = []
    for label, drafts in made_turns.reasonings():
        texts = made_turns.texts(drafts)
        for item in (each.texts["en"] for each in texts.items):
            for pattern in (each for each in [*ASKED][1:] if re.search(each, item)):
                question = texts.explicit["en"]
                assert re.search(ASKED[pattern], question.casefold()), (label, question, item)
                graded.append(pattern)
    assert len({*graded}) > 1


def test_when_to_repeat_a_test_is_not_graded_where_the_question_does_not_ask_it() -> None:
    pressing = []
    for _, drafts in made_turns.reasonings():
        for item in made_turns.texts(drafts).items:
            if item.texts["en"].startswith("Recommends repeating"):
                is_today = not drafts[-1].bound.days
                pressing.append(is_today)
                assert bool(re.search(r"\d|tomorrow|today|within", item.texts["en"])) == is_today
                assert item.check
                assert item.check["en"].get("within") == (0 if is_today else None)
    assert {*pressing} == {True, False}


def test_a_type_of_admission_is_no_way_and_an_origin_is_no_code() -> None:
    [drafts, *_] = [each for label, each in made_turns.lookups() if label == "admission explicit"]
    [found] = drafts[-1].findings
    origin = replace(found.slots["origin"], source=Recorded(0, 0, "x", "y", "EMERGENCY ROOM"))
    placed = replace(found, slots={**found.slots, "origin": origin})
    texts = made_turns.texts([replace(drafts[-1], findings=(placed,))])
    assert "coming from emergency room" in texts.answer["en"]
    for chinese in (texts.question["zh"], texts.answer["zh"]):
        assert "入院类型" in chinese
        assert "方式" not in chinese


@pytest.mark.parametrize(("hour", "is_told"), [("12:00", True), ("09:00", False)])
def test_which_dose_of_one_day_came_later_is_told_with_times(hour: str, is_told: bool) -> None:
    both = (
        dosed("furosemide", "given", "2148-04-01T09:00:00-04:00"),
        dosed("digoxin", "given", f"2148-04-01T{hour}:00-04:00"),
    )
    omitted = tuple((each.entity, turn) for turn, each in enumerate(both))
    answer = made_turns.texts([Draft("DG", "AE", "ehr", both, omitted=omitted)]).answer
    assert (f"on 2148-04-01 at {hour}" in answer["en"]) == is_told
    assert (f"为 2148-04-01 {hour}" in answer["zh"]) == is_told


def test_two_results_of_one_day_are_told_with_their_times() -> None:
    def day(time: str) -> Slot:
        return Slot("day", Computed("day", (Recorded(0, 0, "x", "y", time),), time[:10]))

    creatinine = lab("creatinine", 1.4)
    for before, words in (("12T06:00", "on 2148-08-12 at 06:00"), ("11T06:00", "on 2148-08-11.")):
        followed = {
            "day": day("2148-08-12T14:10:00-04:00"),
            "before": recorded("number", 1.5),
            "before_day": day(f"2148-08-{before}:00-04:00"),
        }
        found = replace(creatinine, slots={**creatinine.slots, **followed})
        answer = made_turns.texts([Draft("IL", None, "ehr", (found,))]).answer
        assert words in answer["en"]
        assert ("14:10" in answer["en"]) == ("06:00" in answer["zh"]) == ("at" in words)


def test_an_order_of_today_has_stood_unchanged_for_no_time() -> None:
    warfarin = made_turns.finding("order", "warfarin")
    for ago, is_new in ((0, True), (2, False)):
        found = replace(warfarin, slots={**warfarin.slots, "ago": recorded("ago", ago)})
        texts = made_turns.texts([Draft("IL", None, "ehr", (found,))])
        english, chinese = (
            [texts.answer[lang], *(item.texts[lang] for item in texts.items)] for lang in LANGUAGES
        )
        assert is_new != any("unchanged" in text for text in english)
        assert is_new != any("未变" in text for text in chinese)
        assert is_new == ("说明该华法林医嘱始于今天" in chinese)


def test_a_rate_rises_in_chinese_by_its_own_word() -> None:
    for test, words in (("heart rate", "增快"), ("systolic blood pressure", "上升")):
        found = made_turns.finding("vital_latest", test)
        found = replace(found, slots={**found.slots, "change": recorded("direction", "rise")})
        texts = made_turns.texts([Draft("IL", None, "ehr", (found,))])
        assert words in texts.answer["zh"]
        assert any(words in item.texts["zh"] for item in texts.items)


def test_a_chinese_question_begins_with_the_harm_that_a_result_shows() -> None:
    for _, drafts in made_turns.harms():
        if drafts[-1].type == "DG":
            texts = made_turns.texts(drafts)
            for each in (texts.question["zh"], texts.explicit["zh"]):
                assert "风险，" in each.partition("化验指标")[0].partition("最新")[0]
