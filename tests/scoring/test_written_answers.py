"""Written answers compared with expected rows."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from wardround.scoring.written_answers import answered_rows, same_answer

ZONE = ZoneInfo("America/New_York")

CASES: list[tuple[str, list[Any], bool]] = [
    ("[3]", [3], True),
    ("The patient had 3 stays.", [3], True),
    ("The patient had 3 stays, one of 12 days.", [3], False),
    ("Yes.", [1], True),
    ("[true]", [1], True),
    ("[0]", [1], False),
    ("[98.33]", [98.33333], True),
    ("[98]", [98.33333], True),
    ("[98.4]", [98.33333], False),
    ("[3.4]", [3], False),
    ('["aspirin", "Heparin "]', ["heparin", "aspirin"], True),
    ('["aspirin"]', ["heparin", "aspirin"], False),
    ('["aspirin", "heparin", "senna"]', ["heparin", "aspirin"], False),
    ('It was then:\nAnswer: ["2130-01-02T10:00:30-05:00"]', ["2130-01-02 10:00:00"], True),
    ('["2130-01-02T15:00:00Z"]', ["2130-01-02 10:00:00"], True),
    ('["2130-01-02 10:02:00"]', ["2130-01-02 10:00:00"], False),
    ('["2130-01-02 10:02:00"]', ["2130-01-02"], True),
    ("[]", [], True),
    ("", [], True),
    ("[7]", [], False),
    ("[]", [7], False),
    ("[null]", [], True),
]


@pytest.mark.parametrize(("text", "expected", "same"), CASES)
def test_answers_agree_within_the_published_tolerance(
    text: str, expected: list[Any], same: bool
) -> None:
    rows = [(value,) for value in expected]
    assert same_answer(rows, answered_rows(text, rows), ZONE) is same


def test_rows_of_several_columns_are_compared_cell_by_cell() -> None:
    rows = [("aspirin", 2), ("senna", 1)]
    assert same_answer(rows, answered_rows('[["senna", 1], ["aspirin", 2]]', rows), ZONE)
    assert not same_answer(rows, answered_rows('[["senna", 2], ["aspirin", 1]]', rows), ZONE)
