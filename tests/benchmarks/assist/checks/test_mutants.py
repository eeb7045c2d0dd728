"""Mutants of answers and orders pass no item that they break, and fail no other one."""

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.assist.checks.fixture_turns import Played, mutants, mutated, turns
from tests.cases import for_each


def _id(value: Any) -> str:
    return f"{value.name}-{value.language}" if isinstance(value, Played) else value["kind"]


@for_each(turns())
def test_no_item_of_a_gold_answer_fails(turn: Played) -> None:
    found = turn.findings()
    assert [each.reason for each in found if each.state == "failed"] == []


def test_items_of_gold_answers_that_pass() -> None:
    states = [each.state for turn in turns() for each in turn.findings()]
    assert (states.count("passed"), len(states)) == (92, 94)


@for_each(list(mutants()))
def test_a_mutant_passes_nothing_that_it_breaks_and_fails_nothing_else(
    turn: Played, mutant: Mapping[str, Any]
) -> None:
    found = mutated(turn, mutant).findings()
    failed = {number for number, each in enumerate(found) if each.state == "failed"}
    assert failed <= {mutant["item"], *mutant.get("and", ())}, [each.reason for each in found]
    assert found[mutant["item"]].state != "passed"
