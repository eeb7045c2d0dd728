"""Requests that find nothing, and what is wanted then."""

from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.suite import answer_of, passing_mutant
from wardround.authoring.chatqa.turns import CATEGORIES
from wardround.authoring.chatqa.turns.turn import Category, Turn, is_nothing, reason_to_drop
from wardround.benchmarks.chatqa.oracle import as_text
from wardround.benchmarks.chatqa.scorer import score_adapt

DRAWN, KEPT = 80, 2
# The hospital's OMOP form names no procedures in the words of the terms.
MAY_LACK = {"other_procedure", "missing_table"}


@pytest.fixture(scope="module")
def kept(records: AskedRecords) -> dict[str, list[Turn]]:
    """The turns of each category that make a task."""
    return {
        category.__name__: list(
            islice(
                (
                    turn
                    for turn in islice(category(records, Random(2)), DRAWN)
                    if not reason_to_drop(turn, records)
                ),
                KEPT,
            )
        )
        for category in CATEGORIES
    }


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.__name__)
def test_a_kept_turn_fails_first_and_holds_then(
    category: Category, records: AskedRecords, kept: dict[str, list[Turn]]
) -> None:
    turns = kept[category.__name__]
    assert turns or category.__name__ in MAY_LACK
    for turn in turns:
        rows = records.rows(turn.final)
        assert turn.first is None or is_nothing(records.rows(turn.first))
        assert not is_nothing(rows)
        assert 1 <= len(rows) <= 10
        answer = {str(row[0]) for row in rows}
        assert all({str(row[0]) for row in records.rows(each)} != answer for each in turn.wrong)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.__name__)
def test_mutants_of_a_turn_are_dropped(
    category: Category, records: AskedRecords, kept: dict[str, list[Turn]]
) -> None:
    for turn in kept[category.__name__][:2]:
        already = replace(turn, first=turn.final)
        assert reason_to_drop(already, records) == "the first request finds something"
        same = replace(turn, wrong=(turn.final,))
        assert reason_to_drop(same, records) == "another request has the same answer"
        if turn.first is not None:
            never = replace(turn, final=turn.first)
            assert reason_to_drop(never, records) == "the last request finds nothing"


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.__name__)
def test_answers_to_other_requests_fail(
    category: Category, records: AskedRecords, kept: dict[str, list[Turn]]
) -> None:
    for turn in kept[category.__name__]:
        gold = answer_of(turn, records.rows(turn.final))
        assert set(score_adapt(gold, [f"<answer>{as_text(gold)}</answer>"]).values()) == {1.0}
        task = replace(turn, wrong=(*turn.wrong, turn.final))
        assert passing_mutant(gold, task, records)
        if not passing_mutant(gold, turn, records):
            for query in turn.wrong:
                other = answer_of(turn, records.rows(query))
                rewards = score_adapt(gold, [f"<answer>{as_text(other)}</answer>"])
                assert set(rewards.values()) == {0.0}


def test_the_categories_are_the_eight_published_ones(kept: dict[str, list[Turn]]) -> None:
    names = {turn.category for turns in kept.values() for turn in turns}
    assert names <= {
        "Brand-generic name resolution",
        "Within-class drug adaptation",
        "Cross-class drug substitution",
        "Clinically related condition lookup",
        "Alternative lab test for condition",
        "Alternative procedure for treatment",
        "Compound criteria with fallback",
        "Schema fallback handling",
    }
    assert len(CATEGORIES) == 8
