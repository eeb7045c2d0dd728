"""A moderate session needs a drug and a result, a rich one several drugs and a decision."""

from dataclasses import replace

import pytest

from tests.authoring.assist.made_drafts import INR, WARFARIN, bound, lab, order, told
from tests.cases import for_each
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.tier_needs import disagrees, is_sequence, meets_tier

RULE = bound("warfarin_inr", "warfarin")


def turn(*findings: Finding) -> Draft:
    """A turn that asks for findings."""
    return Draft("IL", None, "ehr", findings)


def decision(*findings: Finding) -> Draft:
    """A turn of reasoning with its evidence."""
    return Draft("CR", "NA", "ehr", findings, RULE)


TAKEN = replace(told("warfarin", "good"), slots={"taking": order("warfarin").slots["drug"]})

BOUGHT = replace(TAKEN, kind="other_drug")


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([turn(order("warfarin")), turn(told("warfarin"))], True),
        ([turn(order("warfarin")), turn(BOUGHT)], True),
        ([turn(order("warfarin")), turn(TAKEN)], False),
        ([turn(order("apixaban")), turn(told("warfarin"))], False),
        ([turn(told("warfarin"))], False),
        ([turn(order("warfarin"), told("warfarin"))], True),
    ],
)
def test_chart_and_patient_disagree_about_the_same_drug(turns: list[Draft], expected: bool) -> None:
    assert disagrees([each for draft in turns for each in draft.findings]) == expected


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([turn(order("warfarin")), decision(lab("inr(pt)", 5.1))], True),
        ([turn(lab("inr(pt)", 5.1)), decision(order("warfarin"))], True),
        ([turn(lab("potassium", 4.1)), decision(lab("inr(pt)", 5.1))], False),
        ([decision(order("warfarin"), lab("inr(pt)", 5.1)), turn(lab("potassium", 4.1))], False),
        ([turn(order("warfarin")), turn(lab("inr(pt)", 5.1))], False),
    ],
)
def test_a_sequence_decides_on_findings_of_two_turns(turns: list[Draft], expected: bool) -> None:
    assert is_sequence(turns) == expected


def test_an_order_after_two_findings_is_a_sequence() -> None:
    write = Draft("WU", "AE", "write", (), RULE, None, (), ((INR, 1), (WARFARIN, 0)))
    assert is_sequence([turn(order("warfarin")), turn(lab("inr(pt)", 5.1)), write])
    assert not is_sequence([turn(order("warfarin")), turn(lab("potassium", 4.1)), write])


COURSE = lab("inr(pt)", 5.1, "lab_course")
SEQUENCE = [turn(order("warfarin")), decision(lab("inr(pt)", 5.1))]


@for_each(
    [
        ([turn(order("warfarin")), turn(told("warfarin"))], 3),
        ([turn(order("warfarin")), turn(TAKEN)], 1),
        ([turn(order("warfarin")), turn(TAKEN), turn(order("warfarin"))], 2),
        ([decision(order("warfarin")), turn(TAKEN), turn(order("warfarin"))], 1),
        ([turn(lab("inr(pt)", 5.1))], 1),
        ([turn(COURSE)], 2),
        ([turn(order("warfarin"), lab("potassium", 4.1))], 2),
        (SEQUENCE, 2),
        ([*SEQUENCE, turn(order("aspirin"))], 3),
        ([turn(order("warfarin"), order("aspirin")), turn(lab("inr(pt)", 5.1))], 2),
        ([turn(order("warfarin"), order("aspirin")), turn(told("warfarin"), COURSE)], 3),
        ([turn(order("warfarin"), order("aspirin")), decision(told("warfarin"))], 1),
    ]
)
def test_a_richer_tier_needs_more_of_a_session(turns: list[Draft], highest: int) -> None:
    assert [meets_tier(tier, turns) for tier in (1, 2, 3)] == [
        tier <= highest for tier in (1, 2, 3)
    ]
