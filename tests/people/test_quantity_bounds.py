"""Conditions on one quantity that exclude each other are branches, by their bounds."""

import pytest

from wardround.people.agenda import matches_report
from wardround.people.instruction import Instruction
from wardround.people.instruction_parser import read_instruction
from wardround.people.quantity_bounds import quantity_bounds

GOAL = "Your goal is to look into the stays of a patient. "


def alternatives(instruction: Instruction) -> list[str]:
    return [each.condition for group in instruction.alternatives for each in group]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the patient has only one stay", "the patient has more than one stay"),
        ("there is a single stay", "there are two or more stays"),
        ("there are fewer than 3 stays", "there are 3 or more"),
        ("the patient has at most four stays", "the patient has at least five stays"),
        ("the patient has just one stay", "the patient has several stays"),
    ],
)
def test_exclusive_bounds_open_one_branch_each(first: str, second: str) -> None:
    text = f"{GOAL}If {first}, you want the diagnoses. If {second}, you want the dates."
    assert alternatives(read_instruction(text)) == [first, second]


@pytest.mark.parametrize(
    ("first", "second", "excluded"),
    [
        ("fewer than 10 stays", "more than 5 stays", False),
        ("at least 3 stays", "at most 3 stays", False),
        ("more than 3 stays", "at most 3 stays", True),
        ("more than one stay", "only one drug", False),
        ("only one stay", "no stay", True),
        ("exactly 4 stays", "exactly 5", True),
    ],
)
def test_bounds_exclude_each_other_by_arithmetic(first: str, second: str, excluded: bool) -> None:
    one, other = quantity_bounds(first), quantity_bounds(second)
    assert one is not None
    assert other is not None
    assert one.excludes(other) == other.excludes(one) == excluded


def test_a_rule_about_repeated_records_stays_a_rule() -> None:
    rule = "If the patient has more than one stay, use the first stay."
    assert not read_instruction(f"{GOAL}You want the length of the stay. {rule}").alternatives


@pytest.mark.parametrize(
    ("report", "only_one"),
    [
        ("Patient 10039708 has 1 hospital stay, of 4 days.", True),
        ("I found a single stay, in 2150.", True),
        ("There are three stays.", False),
        ("She was admitted 4 times: 4 stays in all, the longest of 1 day.", False),
    ],
)
def test_a_report_meets_one_of_two_exclusive_conditions(report: str, only_one: bool) -> None:
    assert matches_report("the patient has only one stay", report) == only_one
    assert matches_report("the patient has more than one stay", report) != only_one


def test_no_stays_meet_neither() -> None:
    for condition in ("the patient has only one stay", "the patient has several stays"):
        assert not matches_report(condition, "No stays were found.")
