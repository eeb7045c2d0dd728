"""The words that queries leave open are filled in where they are words, and nowhere else."""

import json
from pathlib import Path

import pytest

from wardround.benchmarks.ehrsql.placeholders import normal_ranges, runnable

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "placeholders.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[case["sql"] for case in CASES])
def test_a_query_as_it_is_run(case: dict[str, str]) -> None:
    assert runnable(case["sql"], "2100-12-31 23:59:00") == case["runs"]


def test_every_vital_sign_has_both_ends_in_order() -> None:
    found = normal_ranges()
    names = {word.rpartition("_")[0] for word in found}
    assert len(names) == 7, "the seven vital signs of the paper (C.1)"
    assert all(float(found[f"{name}_lower"]) < float(found[f"{name}_upper"]) for name in names)
