"""The risks that "all of that" can mean, and the questions that ask for one of them."""

from dataclasses import replace

from tests.authoring.assist.made_drafts import bound, lab, order, recorded, told
from tests.cases import for_each
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.authoring.assist.planning.told_risks import (
    adding_drugs,
    excluded_risks,
    is_only_risk,
    told_risks,
)
from wardround.authoring.assist.wording.questions import question_text

FUROSEMIDE, STEROID, DIGOXIN = order("furosemide"), order("methylprednisolone"), order("digoxin")
ACCOUNT = told("furosemide", "good")
BOUGHT = replace(
    ACCOUNT, kind="other_drug", slots={**ACCOUNT.slots, "other": recorded("drug", "naproxen")}
)
BLOCKED, SALT = (order("lisinopril"), order("spironolactone")), "potassium chloride"
BOUGHT_SALT = replace(BOUGHT, slots={**ACCOUNT.slots, "other": recorded("drug", SALT)})
KIDNEY = replace(bound("diuretic_nsaid", "furosemide", "naproxen"), is_told=True)
POTASSIUM = bound("loop_steroid", "furosemide", "methylprednisolone")
DIGITALIS = bound("digoxin_loop", "digoxin", "furosemide")
WARFARIN, BLEEDING = order("warfarin"), bound("warfarin_aspirin", "warfarin", "aspirin")
TOXICITY = bound("digoxin_creatinine", "digoxin")


def turn(*findings: Finding, rule: BoundRule | None = None) -> Draft:
    """A turn that found something, and that reasoned if it has a rule."""
    return Draft("CR" if rule else "IL", None, "ehr", findings, rule)


@for_each(
    [
        ([turn(FUROSEMIDE), turn(STEROID)], "furosemide", {"hypokalemia"}),
        ([turn(FUROSEMIDE), turn(STEROID)], "potassium", {"hypokalemia"}),
        ([turn(FUROSEMIDE), turn(STEROID)], "sodium", set()),
        ([turn(FUROSEMIDE), turn(BOUGHT)], "naproxen", {"acute kidney failure"}),
        (
            [turn(FUROSEMIDE), turn(BOUGHT), turn(STEROID)],
            "methylprednisolone",
            {"hypokalemia", "gastrointestinal hemorrhage"},
        ),
        ([turn(DIGOXIN), turn(lab("creatinine", 1.9))], "digoxin", {"digoxin toxicity"}),
        ([turn(DIGOXIN), turn(lab("creatinine", 0.8))], "digoxin", set()),
        ([turn(order("warfarin")), turn(lab("inr(pt)", 1.7))], "warfarin", set()),
        ([turn(*BLOCKED), turn(lab("potassium", 4.5))], "potassium", {"hyperkalemia"}),
        ([turn(*BLOCKED), turn(lab("potassium", 3.0))], "potassium", set()),
        ([turn(BLOCKED[0]), turn(order(SALT))], SALT, set()),
        ([turn(BLOCKED[0]), turn(BOUGHT_SALT)], SALT, {"hyperkalemia"}),
    ]
)
def test_the_risks_of_told_drugs_and_results(
    turns: list[Draft], about: str, risks: set[str]
) -> None:
    assert told_risks(turns, [about]) == risks


def test_a_bought_drug_adds_to_the_risk_of_others() -> None:
    pair = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    turns = [turn(FUROSEMIDE), turn(BLOCKED[0])]
    assert adding_drugs(pair, turns) == ()
    assert [each.drug for each in adding_drugs(pair, [*turns, turn(BOUGHT)])] == ["naproxen"]


def test_all_of_that_means_one_risk() -> None:
    both = [turn(FUROSEMIDE), turn(STEROID, rule=POTASSIUM)]
    assert is_only_risk(POTASSIUM, both)
    assert not is_only_risk(POTASSIUM, [turn(BOUGHT), *both])


def test_no_question_asks_for_one_of_two_risks_of_a_result() -> None:
    history = [turn(FUROSEMIDE), turn(STEROID)]
    raising = turn(order("lisinopril"), order("spironolactone"))
    for more, is_asked in ((turn(lab("sodium", 140)), True), (raising, False)):
        found = list(drafts("CR", "AE", [*history, more], [lab("potassium", 4.0)], [POTASSIUM]))
        assert bool(found) == is_asked


def test_a_risk_that_was_asked_for_is_not_meant_again() -> None:
    creatinine = lab("creatinine", 1.9)
    history = [turn(FUROSEMIDE), turn(DIGOXIN), turn(creatinine, rule=TOXICITY)]
    asks = turn(STEROID, rule=POTASSIUM)
    assert is_only_risk(POTASSIUM, [*history, asks])
    assert not is_only_risk(TOXICITY, [*history, asks, turn(lab("potassium", 4.0), rule=TOXICITY)])


def test_a_question_beyond_an_earlier_risk_asks_for_a_new_one() -> None:
    creatinine, new = lab("creatinine", 1.9), "what new risk of a potassium disorder"
    for reasoned, phrase in ((TOXICITY, new), (None, "what is the risk")):
        history = [turn(FUROSEMIDE), turn(STEROID), turn(lab("sodium", 140))]
        if reasoned:
            history = [turn(FUROSEMIDE), turn(DIGOXIN, STEROID), turn(creatinine, rule=reasoned)]
        [asked] = drafts("CR", "AE", history, [lab("potassium", 4.0)], [POTASSIUM])
        assert phrase in question_text(asked, "AE", "en", 0.0)
        # There was no earlier risk of the potassium for this to be a further one.
        assert "还有" not in question_text(asked, "AE", "zh", 0.0)
    bought = [turn(FUROSEMIDE), turn(STEROID), turn(BOUGHT)]
    assert list(drafts("CR", "AE", bought, [lab("potassium", 4.0)], [POTASSIUM]))
    assert list(drafts("CR", "NA", bought[:1], [STEROID], [POTASSIUM]))


def test_all_of_that_is_asked_last_where_the_answer_leaves_out_a_drug() -> None:
    sugar = bound("steroid_glucose", "methylprednisolone")
    history = [turn(FUROSEMIDE), turn(STEROID), turn(lab("glucose", 300))]
    found = [lab("glucose", 300, "lab_course"), lab("potassium", 4.0)]
    asked = list(drafts("CR", "AE", history, found, [sugar, POTASSIUM]))
    assert [each.bound for each in asked] == [POTASSIUM, sugar]


def test_a_new_risk_of_a_new_drug_rests_on_the_turn_that_asked_for_another() -> None:
    history = [turn(FUROSEMIDE), turn(STEROID, rule=POTASSIUM), turn(lab("sodium", 140))]
    findings = [DIGOXIN, lab("potassium", 4.0)]
    [asked, *_] = drafts("CR", "AE", history, findings, [DIGITALIS])
    assert asked.named == (DIGOXIN.entity,)
    assert asked.omitted == ((FUROSEMIDE.entity, 0), (FUROSEMIDE.entity, 1))
    assert excluded_risks(DIGITALIS, history) == {"hypokalemia": 1}
    unasked = [turn(FUROSEMIDE), turn(STEROID), turn(lab("sodium", 140))]
    assert not list(drafts("CR", "AE", unasked, findings, [DIGITALIS]))


def test_a_question_excludes_no_risk_of_other_drugs() -> None:
    history = [turn(FUROSEMIDE), turn(STEROID, rule=POTASSIUM), turn(WARFARIN)]
    assert not excluded_risks(BLEEDING, history)
    assert not list(drafts("CR", "AE", history, [order("aspirin")], [BLEEDING]))


def test_after_two_drugs_a_question_recalls_the_one_that_the_session_began_with() -> None:
    history = [turn(FUROSEMIDE), turn(STEROID, lab("potassium", 4.0), rule=POTASSIUM)]
    findings = [DIGOXIN, lab("creatinine", 1.0), replace(FUROSEMIDE, kind="given")]
    [asked, *others] = drafts("CR", "NA", history, findings, [DIGITALIS])
    assert asked.recalls
    assert asked.omitted == ((FUROSEMIDE.entity, 0),)
    assert all(FUROSEMIDE.entity not in [e.entity for e in each.findings] for each in others)
    text = question_text(asked, "NA", "en", 0.0)
    assert "what risk does digoxin carry together with the drug we began with" in text
    assert "最先谈到的药" in question_text(asked, "NA", "zh", 0.0)
    assert not list(drafts("CR", "PE", history, findings, [DIGITALIS]))


def test_no_question_recalls_a_drug_that_a_pronoun_means() -> None:
    [asked, *_] = drafts("CR", "NA", [turn(FUROSEMIDE)], [DIGOXIN], [DIGITALIS])
    assert not asked.recalls
    began = [turn(lab("potassium", 4.0)), turn(FUROSEMIDE, STEROID, rule=POTASSIUM)]
    assert not list(drafts("CR", "NA", began, [DIGOXIN], [DIGITALIS]))
