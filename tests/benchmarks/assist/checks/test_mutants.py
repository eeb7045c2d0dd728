"""Mutants of answers and orders fail the item that they break, and no other decided one."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.benchmarks.assist.checks.fixture_turns import Played, mutants, mutated, turns


def _id(value: Any) -> str:
    return f"{value.name}-{value.language}" if isinstance(value, Played) else value["kind"]


@pytest.mark.parametrize("turn", turns(), ids=_id)
def test_gold_answers_pass_every_item(turn: Played) -> None:
    found = turn.findings()
    assert [each.reason or each.state for each in found] == ["passed"] * len(found)


@pytest.mark.parametrize(("turn", "mutant"), list(mutants()), ids=_id)
def test_a_mutant_fails_what_it_breaks_alone(turn: Played, mutant: Mapping[str, Any]) -> None:
    found = mutated(turn, mutant).findings()
    failed = {number for number, each in enumerate(found) if each.state == "failed"}
    assert failed == {mutant["item"], *mutant.get("and", ())}, [each.reason for each in found]
