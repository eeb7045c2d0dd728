"""Implicit questions: what they leave out, and what their explicit twins name."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.authoring.assist.made_drafts import INR, WARFARIN, bound, lab, order
from tests.cases import for_each
from wardround.authoring.assist.facts.findings import Entity
from wardround.authoring.assist.gates.implicitness import (
    implicit_faults,
    is_decorated,
    names_entity,
    topic_faults,
    twin_faults,
)
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import Language

CASES = Path(__file__).parent / "cases"
ROWS, DECORATED = (
    [line.split("\t") for line in (CASES / name).read_text(encoding="utf-8").splitlines()[1:]]
    for name in ("named_entities.tsv", "decorated.tsv")
)
ACE, MRA = Entity("drug", "lisinopril"), Entity("drug", "spironolactone")
FIRST = Draft("IL", None, "ehr", (lab("inr(pt)", 3.4),), named=(INR,))
SECOND = Draft("IL", None, "ehr", (order("warfarin"),), named=(WARFARIN,))
THIRD = Draft("IL", "NA", "ehr", (lab("inr(pt)", 1.2, "lab_first"),), omitted=((INR, 0),))
EXPLICIT = {
    "en": "What was the first INR of this stay?",
    "zh": "本次住院首次国际标准化比值是多少？",
}
IMPLICIT = {"en": "What was its first value of this stay?", "zh": "该指标本次住院首次是多少？"}


def texts(implicit: dict[str, str], explicit: dict[str, str] = EXPLICIT) -> TurnTexts:
    """The texts of a turn, with questions only."""
    return TurnTexts(explicit, implicit, {"en": "", "zh": ""}, ())  # type: ignore[arg-type]


@for_each(ROWS)
def test_an_entity_is_named_by_any_of_its_names(
    text: str, kind: str, entity: str, named: str
) -> None:
    assert names_entity(text, Entity(kind, entity)) == (named == "yes")  # type: ignore[arg-type]


def test_a_question_that_leaves_its_entity_out_is_implicit() -> None:
    turns = [FIRST, SECOND, THIRD]
    assert list(implicit_faults(turns, 2, texts(IMPLICIT))) == []
    assert list(twin_faults(THIRD, texts(IMPLICIT))) == []


@pytest.mark.parametrize(
    ("implicit", "reason"),
    [
        ({**IMPLICIT, "en": "And the first INR?"}, "an implicit question names what it leaves out"),
        ({**IMPLICIT, "zh": "国际标准化比值首次是多少？"},
         "an implicit question names what it leaves out"),
        (EXPLICIT, "an implicit question is its explicit twin"),
    ],
)  # fmt: skip
def test_a_question_that_names_its_entity_is_not_implicit(
    implicit: dict[str, str], reason: str
) -> None:
    assert reason in list(implicit_faults([FIRST, SECOND, THIRD], 2, texts(implicit)))


@for_each(DECORATED)
def test_a_pronoun_beside_a_full_question_leaves_nothing_out(
    language: Language, explicit: str, implicit: str, decorated: str
) -> None:
    assert is_decorated(implicit, explicit, language) == (decorated == "yes")


def test_a_decorated_question_does_not_pass() -> None:
    decorated = {**IMPLICIT, "zh": "那么本次住院首次国际标准化比值是多少呢？"}
    reason = "an implicit question says all that its twin says"
    assert reason in list(implicit_faults([FIRST, SECOND, THIRD], 2, texts(decorated)))


def test_a_pronoun_does_not_make_a_fragment() -> None:
    fragment = replace(THIRD, form="PE")
    faults = list(implicit_faults([FIRST, SECOND, fragment], 2, texts(IMPLICIT)))
    assert faults == ["a fragment has a pronoun"]


def test_an_abstract_question_rests_on_two_turns() -> None:
    one = replace(THIRD, form="AE")
    two = replace(one, omitted=((INR, 0), (WARFARIN, 1)))
    reason = "an abstract question rests on fewer than two turns"
    assert reason in list(implicit_faults([FIRST, SECOND, one], 2, texts(IMPLICIT)))
    assert reason not in list(implicit_faults([FIRST, SECOND, two], 2, texts(IMPLICIT)))


def test_an_abstract_question_asks_for_what_it_leaves_out() -> None:
    both = replace(THIRD, form="AE", findings=(*THIRD.findings, order("warfarin")),
                   omitted=((INR, 0), (WARFARIN, 1)))  # fmt: skip
    decorated = replace(both, findings=THIRD.findings)
    reason = "an abstract question leaves out what it does not ask for"
    assert reason not in list(implicit_faults([FIRST, SECOND, both], 2, texts(IMPLICIT)))
    assert reason in list(implicit_faults([FIRST, SECOND, decorated], 2, texts(IMPLICIT)))


ONE_THING = "an abstract question rests on one thing"


def test_the_first_question_is_explicit_and_each_other_leaves_something_out() -> None:
    turns = [FIRST, SECOND, replace(THIRD, omitted=())]
    first, third = (list(implicit_faults(turns, turn, texts(IMPLICIT))) for turn in (0, 2))
    assert first == ["the first question is not explicit"]
    assert third == ["an implicit question leaves nothing out"]


def test_a_phrase_for_one_thing_of_two_turns_is_no_abstract_question() -> None:
    turns = [FIRST, Draft("IL", "NA", "ehr", (lab("inr(pt)", 1.2, "lab_first"),))]
    course = (lab("inr(pt)", 3.4, "lab_course"),)
    third = Draft("IL", "AE", "ehr", course, omitted=((INR, 0), (INR, 1)))
    assert ONE_THING in list(implicit_faults([*turns, third], 2, texts(IMPLICIT)))


def test_an_abstract_question_compares_two_things_of_two_turns() -> None:
    potassium = Entity("test", "potassium")
    turns = [FIRST, Draft("IL", "PE", "ehr", (lab("potassium", 4.4),), named=(potassium,))]
    courses = tuple(lab(name, 3.4, "lab_course") for name in ("inr(pt)", "potassium"))
    third = Draft("DG", "AE", "ehr", courses, omitted=((INR, 0), (potassium, 1)))
    assert ONE_THING not in list(implicit_faults([*turns, third], 2, texts(IMPLICIT)))
    apart = replace(third, findings=(courses[0], lab("potassium", 4.4, "lab_first")))
    assert ONE_THING in list(implicit_faults([*turns, apart], 2, texts(IMPLICIT)))


def test_a_result_that_shows_a_harm_is_meant_by_both_its_causes() -> None:
    told_first = Draft("IL", None, "ehr", (order("lisinopril"),), named=(ACE,))
    echo = Draft("IL", "PE", "ehr", (order("spironolactone"),), named=(MRA,), echoed=0)
    harm = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    causes = ((ACE, 0), (MRA, 1))
    shown = Draft("IL", "AE", "ehr", (lab("potassium", 5.4),), harm, omitted=causes)
    turns = [told_first, echo, shown]
    question = texts({"en": "Which result would show harm from all of that?", "zh": "哪项检查？"})
    assert list(implicit_faults(turns, 2, question)) == []
    assert (
        list(implicit_faults(turns, 1, texts({"en": "And spironolactone?", "zh": "螺内酯呢？"})))
        == []
    )
    named = texts({"en": "Which potassium would show harm from all of that?", "zh": "哪项检查？"})
    reason = "an implicit question names what it leaves out"
    assert reason in list(implicit_faults(turns, 2, named))
    both = replace(told_first, findings=(order("lisinopril"), order("spironolactone")))
    other = Draft("IL", "PE", "ehr", (lab("sodium", 140),), named=(Entity("test", "sodium"),))
    together = replace(shown, omitted=((ACE, 0), (MRA, 0)))
    assert ONE_THING in list(
        implicit_faults([both, other, replace(together, omitted=((ACE, 0), (MRA, 1)))], 2, question)
    )


def test_a_fragment_repeats_the_question_before() -> None:
    reason = "a fragment repeats no question of the turn before"
    told_first = Draft("IL", None, "ehr", (order("lisinopril"),), named=(ACE,))
    other = Draft(
        "IL", "PE", "ehr", (lab("sodium", 140),), named=(Entity("test", "sodium"),), echoed=0
    )
    question = texts({"en": "And sodium?", "zh": "血钠呢？"})
    assert reason in list(implicit_faults([told_first, other], 1, question))


def test_nominal_anaphora_refers_in_both_languages() -> None:
    dropped = {**IMPLICIT, "zh": "本次住院首次是多少？"}
    reason = "a question with nominal anaphora refers to nothing"
    assert reason in list(implicit_faults([FIRST, SECOND, THIRD], 2, texts(dropped)))


def test_what_is_left_out_is_what_an_earlier_turn_was_about() -> None:
    wrong = replace(THIRD, omitted=((INR, 1),))
    late = replace(THIRD, omitted=((INR, 2),))
    faults = [list(implicit_faults([FIRST, SECOND, each], 2, texts(IMPLICIT)))
              for each in (wrong, late)]  # fmt: skip
    assert "what is left out is not what its turn is about" in faults[0]
    assert "what is left out is in no earlier turn" in faults[1]


@pytest.mark.parametrize(
    ("explicit", "reason"),
    [
        ("What was the first value of this stay?",
         "an explicit question does not name what it is about"),
        ("Was the first INR 1.2?", "an explicit question gives a value of the answer"),
    ],
)  # fmt: skip
def test_an_explicit_twin_names_things_and_no_values(explicit: str, reason: str) -> None:
    assert reason in list(twin_faults(THIRD, texts(IMPLICIT, {**EXPLICIT, "en": explicit})))


def test_topics_and_rules_never_repeat() -> None:
    assert list(topic_faults([FIRST, SECOND, THIRD])) == []
    assert list(topic_faults([FIRST, FIRST])) == ["an entity and its aspect are asked for twice"]
    reasons = [Draft("CR", "NA", "ehr", (), bound("warfarin_inr", "warfarin"))] * 2
    assert list(topic_faults(reasons)) == ["a rule is asked for twice"]
