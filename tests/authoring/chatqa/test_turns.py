"""Requests that find nothing, and what is wanted then."""

from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.turns import CATEGORIES
from wardround.authoring.chatqa.turns.turn import Category, Turn, is_nothing, reason_to_drop

DRAWN = 25
# The hospital's OMOP form names no procedures in the words of the terms.
MAY_LACK = {"other_procedure", "missing_table"}


def kept(category: Category, records: AskedRecords) -> list[Turn]:
    drafts = islice(category(records, Random(2)), DRAWN)
    return [draft for draft in drafts if not reason_to_drop(draft, records)]


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.__name__)
def test_a_kept_turn_fails_first_and_holds_then(category: Category, records: AskedRecords) -> None:
    turns = kept(category, records)
    assert turns or category.__name__ in MAY_LACK
    for turn in turns:
        rows = records.rows(turn.final)
        assert turn.first is None or is_nothing(records.rows(turn.first))
        assert not is_nothing(rows)
        assert 1 <= len(rows) <= 10
        answer = {str(row[0]) for row in rows}
        assert all({str(row[0]) for row in records.rows(each)} != answer for each in turn.wrong)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.__name__)
def test_mutants_of_a_turn_are_dropped(category: Category, records: AskedRecords) -> None:
    for turn in kept(category, records)[:3]:
        already = replace(turn, first=turn.final)
        assert reason_to_drop(already, records) == "the first request finds something"
        same = replace(turn, wrong=(turn.final,))
        assert reason_to_drop(same, records) == "another request has the same answer"
        if turn.first is not None:
            never = replace(turn, final=turn.first)
            assert reason_to_drop(never, records) == "the last request finds nothing"


def test_the_categories_are_the_eight_published_ones(records: AskedRecords) -> None:
    names = {turn.category for category in CATEGORIES for turn in kept(category, records)[:1]}
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
