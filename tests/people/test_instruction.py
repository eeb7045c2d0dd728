"""Parsed instructions and classified replies."""

from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.people.instruction import Instruction, Junction, Piece, Step
from wardround.people.instruction_parser import read_instruction
from wardround.people.reply_classifier import classify_reply

FIXTURES = Path(__file__).parent / "fixtures"


def cases(name: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in (FIXTURES / name).read_bytes().splitlines()]


def shown(step: Step) -> Any:
    """A step as the fixture writes it: "^" marks a piece that refers back."""
    match step:
        case Piece(text, follows):
            return f"^{text}" if follows else text
        case Junction(found, nothing):
            branches = {"found": found, "nothing": nothing}
            return {name: [shown(s) for s in steps] for name, steps in branches.items() if steps}
        case _:
            return "END"


@for_each(cases("instructions.jsonl"))
def test_parsed_instruction(case: dict[str, Any]) -> None:
    read = read_instruction(case["instruction"])
    assert read.goal == case["goal"]
    assert [shown(step) for step in read.script] == case["script"]
    assert list(read.answer_formats) == case.get("manners", [])
    assert [answer.text for answer in read.answers] == case.get("answers", [])
    assert sorted(read.withheld) == case.get("withheld", [])


@for_each(cases("replies.jsonl"))
def test_classified_reply(case: dict[str, Any]) -> None:
    reply = classify_reply(case["said"])
    assert (reply.outcome, reply.demand) == (case.get("outcome"), case.get("demand"))


@given(st.text())
def test_any_text_is_parsed_and_classified(text: str) -> None:
    assert isinstance(read_instruction(text), Instruction)
    classify_reply(text)


def test_an_instruction_is_parsed_once_for_all_trials() -> None:
    text = "Your goal is to count beds. You want to know how many beds there are."
    assert read_instruction(text) is read_instruction(text)
