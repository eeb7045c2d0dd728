"""Answers are compared by their values."""

from typing import Any

import pytest

from wardround.benchmarks.fhiragentbench.answers import state


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("Answer: 42", [[42]], "passed"),
        ("It is so.\n**Answer:** 41.6", [[42.0]], "passed"),
        ("Answer: 41.4", [[42]], "failed"),
        ("Answer: [\"b\", 'A']", [["a"], ["b"]], "passed"),
        ("Answer: a, b", ["a", "b"], "passed"),
        ("Answer: a", ["a", "b"], "failed"),
        ("Answer: a, b, c", ["a", "b"], "failed"),
        ("Answer: a, a", ["a", "b"], "failed"),
        ("Answer: 2100-01-01T10:00:40", [["2100-01-01 10:00:00"]], "passed"),
        ("Answer: 2100-01-01T10:02:00", [["2100-01-01 10:00:00"]], "failed"),
        ("Answer: yes", [[True]], "passed"),
        ("Answer: 0", [[False]], "passed"),
        ("Answer: no", [[True]], "failed"),
        ("Answer: no answer", None, "passed"),
        ("Answer: none", [], "passed"),
        ("Answer: 3", None, "failed"),
        ("Answer: no answer", [[3]], "failed"),
        ("Answer: ['pain, acute']", [["pain, acute"]], "passed"),
        ("There is none.", None, "undecided"),
        ("", [[1]], "failed"),
    ],
)
def test_an_answer(text: str, gold: Any, expected: str) -> None:
    assert state(text, gold) == expected
