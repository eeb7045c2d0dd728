"""The sentences of made instructions, and the words of attributes."""

from itertools import islice
from pathlib import Path
from random import Random
from string import Formatter

import pytest

import wardround.agents
from tests.cases import for_each
from wardround.authoring.chatqa.asked_records import ATTRIBUTES, AskedRecords
from wardround.authoring.chatqa.increments import increments
from wardround.authoring.chatqa.instructions import (
    increment_sentences,
    instruction,
    turn_sentences,
    wordings,
)
from wardround.authoring.chatqa.spoken_values import attribute_words
from wardround.authoring.chatqa.turns import CATEGORIES
from wardround.people.instruction import Junction, Piece
from wardround.people.instruction_parser import read_instruction

# The hospitals' procedures lack the words of one category's terms, which only larger ones draw.
MAY_LACK = {"procedure.patients", "procedure.last"}


def slots(way: str) -> set[str]:
    """The names of the slots of a sentence."""
    return {name for _, name, _, _ in Formatter().parse(way) if name}


@for_each(wordings())
def test_everything_is_said_in_four_ways(frame: str) -> None:
    ways = wordings()[frame]
    assert len(set(ways)) == 4
    assert len({frozenset(slots(way)) for way in ways}) == 1


def test_every_frame_is_drawn_with_its_slots(records: AskedRecords) -> None:
    drafts = list(islice(increments(records, 3, Random(1)), 400))
    turns = [turn for of in CATEGORIES for turn in islice(of(records, Random(1)), 10)]
    drawn = [
        *((wish.frame, wish.slots) for draft in drafts for wish in (draft.asked, *draft.wishes)),
        *((turn.frame, turn.slots) for turn in turns),
    ]
    for frame, filled in drawn:
        assert slots(wordings()[frame][0]) == set(filled), frame
    said = {f"form.{turn.form}" for turn in turns}
    said |= {"withheld.names" for turn in turns if turn.withheld}
    idle = wordings().keys() - {frame for frame, _ in drawn} - said - MAY_LACK
    lacking = {name for name in ("age", *ATTRIBUTES) if not records.views.has("admission", name)}
    assert [frame for frame in idle if not lacking & set(frame.split("."))] == []


def test_the_scripted_user_says_each_condition_once(spelled_records: AskedRecords) -> None:
    random = Random(3)
    for draft in islice(increments(spelled_records, 3, random), 30):
        read = read_instruction(instruction(increment_sentences(draft, random)))
        assert len(read.script) == 1 + len(draft.wishes)
        assert all(isinstance(step, Piece) and not step.condition for step in read.script)


def test_the_scripted_user_turns_only_when_nothing_is_found(records: AskedRecords) -> None:
    random = Random(3)
    for category in CATEGORIES:
        for turn in islice(category(records, random), 6):
            read = read_instruction(instruction(turn_sentences(turn, random)))
            *asked, turned = read.script
            assert asked
            assert all(isinstance(step, Piece) and not step.condition for step in asked)
            assert isinstance(turned, Junction)
            assert turned.nothing, turn
            assert read.answer_formats


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("source", "EMERGENCY ROOM", "the ER"),
        ("type", "ew emer.", "emergency by way of the emergency ward"),
        ("destination", "SNF", "a discharge to a skilled nursing facility"),
        ("language", "?", ""),
        ("marital", "married", "married"),
        ("destination", "a town nobody knows", "a town nobody knows"),
    ],
)
def test_attributes_have_everyday_words(column: str, text: str, words: str) -> None:
    assert attribute_words(column, text) == words


def test_words_of_a_hospital_tell_its_texts_apart(records: AskedRecords) -> None:
    for column in ATTRIBUTES:
        held = {stay.attributes.get(column, "") for stay in records.stays.values()} - {""}
        assert len({attribute_words(column, text) for text in held}) == len(held)
        assert all(attribute_words(column, text) for text in held)


def test_agents_read_nothing_of_the_wordings() -> None:
    agents = Path(wardround.agents.__file__).parent
    sources = [path for path in agents.rglob("*") if path.suffix in (".py", ".toml", ".tsv")]
    assert len(sources) > 50  # A floor: agents are added.
    for path in sources:
        assert "wardround.authoring" not in path.read_text(encoding="utf-8"), path
