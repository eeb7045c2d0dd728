from pathlib import Path

import orjson

from tests.cases import for_each
from wardround.agents.query_writer import extracted_query

LINES = (Path(__file__).parent / "fixtures" / "query_extraction.jsonl").read_text().splitlines()
CASES = list(map(orjson.loads, LINES))


@for_each(CASES)
def test_the_query_of_an_answer(case: dict[str, str]) -> None:
    assert extracted_query(case["answer"]) == case["query"]
