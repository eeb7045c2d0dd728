"""Instructions are said clause by clause, once, each in its branch: see `instruction_checker`."""

import pytest

from tests.people.instruction_checker import faults
from tests.people.test_held_out_instructions import HERE, cases
from wardround.people.instruction import Instruction, Piece

BRANCHING = (HERE / "fixtures" / "instructions_branching.txt").read_text("utf-8").splitlines()


def numbers_at_fault(instructions: list[str]) -> list[int]:
    """The numbers of the instructions that are at fault, from 1."""
    return [number for number, text in enumerate(instructions, 1) if faults(text)]


def test_no_fault_in_instructions_with_branches() -> None:
    assert numbers_at_fault(BRANCHING) == []


# styles 1: who the user is, and no request. worded 15: a number of a condition, which is not
# said. later 33: one branch's words are the beginning of the other's.
@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("held_out_instructions.jsonl", []),
        ("fixtures/instructions_development.jsonl", [2]),
        ("fixtures/instructions_styles.jsonl", [1, 16]),
        ("fixtures/instructions_worded.jsonl", [15]),
        ("fixtures/instructions_later.jsonl", [19, 33]),
    ],
)
def test_other_instructions_but_for_known_faults(path: str, known: list[int]) -> None:
    assert numbers_at_fault([case["instruction"] for case in cases(path)]) == known


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (Instruction("count", (Piece("I want the wards."),)), "leaves out"),
        (Instruction("count", (Piece("I want 7 beds."), Piece("Confirm that it does."))), "speaks"),
        (Instruction("count", (Piece("I want the 7 beds."), Piece("I want 7 rooms."))), "wait"),
    ],
)
def test_faults_are_found(said: Instruction, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Your goal is to count. You want 7 beds. If no bed is found, you want 7 rooms."
    monkeypatch.setattr("tests.people.instruction_checker.read_instruction", lambda text: said)
    assert any(fault in each for each in faults(text))
