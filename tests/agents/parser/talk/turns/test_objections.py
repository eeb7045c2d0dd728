"""Readings that may be answered, and readings that lose a word, a reference or a condition."""

from datetime import datetime
from pathlib import Path

import orjson

from tests.agents.parser.talk.turns.test_turn_kind import request_after
from tests.cases import for_each
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.turns.objections import objection
from wardround.agents.parser.talk.turns.references import with_visit_meant
from wardround.agents.parser.talk.turns.turn_kind import stands_alone, swaps, turn_kind
from wardround.agents.parser.talk.turns.turn_reader import read_turn
from wardround.agents.parser.talk.turns.whose_records import in_place

NOW = datetime(2100, 12, 31, 23, 59)
LINES = (Path(__file__).parent / "objections.jsonl").read_text("utf-8").splitlines()
ALONE = (Path(__file__).parent / "after_refusals.tsv").read_text("utf-8").splitlines()[1:]


@for_each(LINES)
def test_a_reading_holds_each_word_reference_and_condition(line: str) -> None:
    case = orjson.loads(line)
    before, turn = request_after(case["said"]), case["next"]
    is_new = before.turns > 0 and turn_kind(before, turn, NOW) == "new"
    before = Request() if is_new else with_visit_meant(before, turn)
    after = in_place(read_turn(before, turn, NOW, failed=swaps(turn)), turn)
    objected = objection(before, after, turn, NOW)
    assert (objected.reply if objected else "").startswith(case["objection"])
    assert bool(objected) == bool(case["objection"])


@for_each(ALONE)
def test_after_a_refused_turn_a_question_stands_alone_or_is_refused(line: str) -> None:
    stands, turn = line.split("\t")
    assert stands_alone(turn, NOW) == (stands == "yes")
