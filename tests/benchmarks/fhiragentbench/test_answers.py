"""Answers are compared by their values."""

from typing import Any

from tests.cases import for_each
from wardround.benchmarks.fhiragentbench.answers import state


@for_each(
    [
        ("Answer: 42", [[42]], "passed"),
        ("It is so.\n**Answer:** 41.6", [[42.0]], "passed"),
        ("Answer: 41.4", [[42]], "failed"),
        ("So the final answer is: 41.6 mg/dL", [[42.0]], "passed"),
        ("The final answer is: ['3 days', '95 %']", [[3], [95]], "passed"),
        ("The final answer is: 3 days", [[4]], "failed"),
        ("The final answer is: 3 blue elephants", [[3]], "undecided"),
        ("The final answer is: 2859", [["2859"]], "passed"),
        ("The final answer is: 5 mg", [["5 mg"]], "passed"),
        ("Answer: [\"b\", 'A']", [["a"], ["b"]], "passed"),
        ("Answer: a, b", ["a", "b"], "passed"),
        ("Answer: a", ["a", "b"], "failed"),
        ("Answer: a, b, c", ["a", "b"], "failed"),
        ("Answer: a, a", ["a", "b"], "failed"),
        ("Answer: 2100-01-01T10:00:40", [["2100-01-01 10:00:00"]], "passed"),
        ("Answer: 2100-01-01T10:02:00", [["2100-01-01 10:00:00"]], "failed"),
        ("Answer: 2100-01-01T10:00:00-05:00", [["2100-01-01 10:00:00"]], "passed"),
        ("Answer: 2100-01-01T15:00:00Z", [["2100-01-01 10:00:00"]], "passed"),
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
    ]
)
def test_an_answer(text: str, gold: Any, expected: str) -> None:
    assert state(text, gold) == expected
