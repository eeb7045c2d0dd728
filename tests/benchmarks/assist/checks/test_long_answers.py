"""Answers that are too long for programs: undecided at once, whatever they hold."""

from typing import get_args

import pytest

from tests.cases import one_in
from wardround.benchmarks.assist.checks.clauses import clauses
from wardround.benchmarks.assist.checks.decider import decide_items
from wardround.benchmarks.assist.checks.orders import Written, compile_order, decide_order
from wardround.benchmarks.assist.checks.sentences import MOST_IN_SENTENCE, MOST_LETTERS, too_long
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.ehr.text.quantities import quantities

TURNS = [
    turn for session in shipped_tasks("hand_written").tasks[:2] for turn in session.hidden.turns
]
WORDS = ("1 ", "a", "钾4.5 mEq/L，", "start warfarin 5 mg and ", "not ")
LONG = {
    **{f"{word}…": word * (100_000 // len(word)) for word in WORDS},
    "many sentences": "Potassium was 4.5 mEq/L. " * 4000,
    "one long sentence": f"Stop it. {'warfarin 5 mg, ' * 240}",
    "letters of many": "\ufdfa" * 900,
}


@pytest.mark.parametrize("answer", one_in(4, [*LONG.values()]), ids=one_in(4, [*LONG]))
@pytest.mark.parametrize("language", get_args(Language))
def test_no_item_is_decided_on_an_answer_that_is_too_long(language: Language, answer: str) -> None:
    for turn in TURNS:
        if not turn.writes:
            found = list(decide_items(turn, language, answer, []))
            assert {finding.state for finding in found} == {"undecided"}


def test_every_gold_answer_is_read() -> None:
    answers = [
        text
        for session in shipped_tasks("hand_written").tasks
        for turn in session.hidden.turns
        for text in turn.answers.values()
    ]
    assert answers
    assert not any(map(too_long, answers))


def test_a_field_of_an_order_that_is_too_long_is_undecided() -> None:
    item = compile_order("The note says to recheck potassium")
    assert item is not None
    assert item.test == "text"
    written = Written("Flag.create", {"note": "1 " * 50_000})
    assert "which no program reads" in decide_order(item, [written]).reason


def test_the_bounds_are_those_of_the_text_and_of_a_sentence() -> None:
    assert not too_long("Stop it. " * (MOST_LETTERS // 9))
    assert too_long("Stop it. " * (MOST_LETTERS // 9 + 1)).startswith("the text has more than")
    assert not too_long("x" * MOST_IN_SENTENCE)
    assert too_long("x" * (MOST_IN_SENTENCE + 1)).startswith("a sentence has more than")


def test_quantities_of_long_runs_are_read() -> None:
    assert quantities("一" * 100_000) == []
    spaces = " " * 30_000
    assert [q.value for q in quantities(f"1{spaces}2{spaces}3")] == [1, 2, 3]
    assert [(q.value, q.unit) for q in quantities("二十五天，两次")] == [(25, "day"), (2, "")]


def test_parts_of_one_clause_may_be_many() -> None:
    found = clauses("钾4.5 mEq/L，" * 100)
    assert len(found) == 1
    assert [c.text for c in clauses("warfarin, 5 mg, aspirin")] == ["warfarin, 5 mg", "aspirin"]
