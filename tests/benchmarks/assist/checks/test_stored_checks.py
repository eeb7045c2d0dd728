"""Checks stored beside items come before those of their sentences."""

from dataclasses import replace

import pytest

from tests.benchmarks.assist.checks.fixture_turns import turns
from wardround.benchmarks.assist.checks.decider import check_of, read_check, stored_check
from wardround.core.errors import UserError


def test_every_compiled_check_is_stored_and_read_again() -> None:
    for turn in turns():
        for number, item in enumerate(turn.gold.rubric[turn.language]):
            check = check_of(turn.gold, number, item, turn.language)
            assert check is not None
            stored = stored_check({turn.language: check})
            assert read_check(stored, item) == {turn.language: check}


def test_a_stored_check_comes_first() -> None:
    turn = turns()[0]
    stored = {"en": {"kind": "answer", "test": "language", "language": "zh"}}
    with_check = replace(turn, gold=replace(turn.gold, checks=(stored,)))
    assert [each.state for each in with_check.findings()] == ["failed", "passed", "passed"]


def test_an_unknown_form_is_one_sentence() -> None:
    with pytest.raises(UserError, match="stored check of no known form"):
        read_check({"en": {"kind": "telepathy"}}, "States it.")
