"""The held-out instructions have their fields, and what they require stands in them."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from tests.cases import for_each
from tests.people.test_held_out_instructions import CASES, cases

FINAL = cases("held_out/final.jsonl")


def test_there_are_sixty_and_no_two_are_the_same() -> None:
    development = cases("fixtures/instructions_development.jsonl")
    others = [case["instruction"] for case in CASES + development]
    asked = [case["instruction"] for case in FINAL]
    assert len(asked) == 60
    assert len({*asked, *others}) == len(asked) + len({*others})


@for_each(FINAL)
def test_requirements_stand_in_their_instruction(case: dict[str, Any]) -> None:
    assert set(case) == {"instruction", "say", "held", "never"}
    assert all(held["cue"] and held["say"] for held in case["held"])
    text = case["instruction"].lower()
    for alternatives in requirements(case):
        assert any(words.lower() in text for words in alternatives), alternatives
    for words in case["never"]:
        assert words.lower() in text, words
        assert not any(words.lower() in said.lower() for said in chain(*requirements(case)))


def requirements(case: dict[str, Any]) -> Iterator[list[str]]:
    yield from case["say"]
    for held in case["held"]:
        yield from held["say"]
