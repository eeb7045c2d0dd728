from pathlib import Path

import orjson
import pytest

from wardround.agents.query_writer import extracted_query

LINES = (Path(__file__).parent / "fixtures" / "query_extraction.jsonl").read_text().splitlines()
CASES = list(map(orjson.loads, LINES))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_the_query_of_an_answer(case: dict[str, str]) -> None:
    assert extracted_query(case["answer"]) == case["query"]
