"""Mutants of the shipped sessions' gold answers and orders."""

import re
from collections import Counter
from functools import cache

import pytest

from tests.benchmarks.assist.checks.text_mutants import text_mutants
from wardround.benchmarks.assist.checks.decider import decide_items
from wardround.benchmarks.assist.checks.orders import Written
from wardround.benchmarks.assist.sessions import LANGUAGES, GoldTurn, Language
from wardround.benchmarks.assist.tasks import shipped_tasks

# Wrong values of fields, and the words of items that name the fields.
WRONG = {
    "medication": ("digoxin", "Orders|开具"),
    "dose": ("777 mg", "dose|剂量"),
    "route": ("rectal", "route|途径"),
    "frequency": ("every 4 hours", "frequency|频率"),
    "priority": ("asap", "priority|优先级"),
    "category": ("administrative", "category|类别"),
}


def states(turn: GoldTurn, language: Language, answer: str, writes: list[Written]) -> list[str]:
    """The state of each item."""
    return [each.state for each in decide_items(turn, language, answer, writes)]


def gold_writes(turn: GoldTurn) -> list[Written]:
    """The orders of the gold."""
    return [Written(call.tool, call.arguments) for call in turn.calls if call.writes]


@cache
def tally(language: Language) -> Counter[tuple[str, str]]:
    """The states of broken items by kind of mutant; "further" is an unbroken one that fails."""
    found: Counter[tuple[str, str]] = Counter()
    for session in shipped_tasks("hand_written").tasks:
        for turn in session.hidden.turns:
            if turn.writes:
                continue
            answer, items = turn.answers[language], turn.rubric[language]
            before = states(turn, language, answer, [])
            for mutant in text_mutants(items, answer, language):
                after = states(turn, language, mutant.answer, [])
                for item, state in enumerate(after):
                    if item in mutant.items and before[item] == "passed":
                        found[mutant.kind, state] += 1
                    elif mutant.kind != "fact omitted" and state == "failed" != before[item]:
                        found[mutant.kind, "further"] += 1
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_broken_item_passes(language: Language) -> None:
    found = tally(language)
    passed = {kind: n for (kind, state), n in found.items() if state == "passed"}
    assert passed == {}
    assert sum(found[kind, "failed"] for kind in {kind for kind, _ in found}) >= 300


# Mutants whose item fails, and those whose item stays open.
COUNTS = {
    ("number changed", "en"): (118, 0),
    ("number changed", "zh"): (113, 2),
    ("unit changed", "en"): (85, 2),
    ("unit changed", "zh"): (84, 3),
    ("drug swapped", "en"): (89, 4),
    ("drug swapped", "zh"): (93, 1),
}


@pytest.mark.parametrize(("kind", "language"), COUNTS)
def test_few_mutants_of_a_kind_stay_open(kind: str, language: Language) -> None:
    found = tally(language)
    assert (found[kind, "failed"], found[kind, "undecided"]) == COUNTS[kind, language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_changed_field_that_an_item_names_fails_it(language: Language) -> None:
    turns = [
        turn for session in shipped_tasks("hand_written").tasks for turn in session.hidden.turns
    ]
    changed = 0
    for turn in filter(lambda turn: turn.writes, turns):
        [gold] = gold_writes(turn)
        for field in WRONG.keys() & gold.arguments.keys():
            value, words = WRONG[field]
            named = sum(bool(re.match(f"(?:The )?(?:{words})", i)) for i in turn.rubric[language])
            wrong = Written(gold.tool, {**gold.arguments, field: value})
            assert states(turn, language, "", [wrong]).count("failed") == named, field
            changed += named
        assert set(states(turn, language, "", [])) == {"failed"}
    assert changed >= 14
