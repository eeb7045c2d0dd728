"""The SQL writer: votes, examples and prompt."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each, one_in
from wardround.agents.pairs import Pair
from wardround.agents.sql_writer.agent import (
    Vote,
    Written,
    decide,
    describe_tables,
    result_of,
    tables_in,
)
from wardround.agents.sql_writer.examples import Examples, known_values, masked
from wardround.ehr.database import open_database
from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.schema.statements import create_statements

HERE = Path(__file__).parent
VOTES = [json.loads(line) for line in (HERE / "votes.jsonl").read_text("utf-8").splitlines()]
MASKS = [line.split("\t") for line in (HERE / "masks.tsv").read_text("utf-8").splitlines()]

PAIRS = [
    Pair("Was patient 7 given aspirin this year?", "SELECT 'aspirin'"),
    Pair("Was patient 8 given nacl 0.9% this year?", "SELECT 'nacl 0.9%'"),
    Pair(
        "how many died of acute kidney failure, unspecified?",
        "SELECT 1 WHERE d = 'acute kidney failure, unspecified'",
    ),
    Pair("why was patient 9 given aspirin?", None),
]


@for_each(VOTES)
def test_votes(case: dict[str, Any]) -> None:
    decision = decide([Vote(*vote) for vote in case["votes"]], case["threshold"])
    assert decision.sql == case["sql"]
    assert decision.confidence == pytest.approx(case["confidence"], abs=0.001)
    assert bool(decision.reason) == (case["sql"] is None)


def test_results_with_the_same_rows_are_equal() -> None:
    first = '{"columns": ["a"], "rows": [[1, "x"], [2, null]], "truncated": false}'
    second = '{"columns": ["b"], "rows": [[2.0, null], [1.00001, "x"]], "truncated": false}'
    other = '{"columns": ["a"], "rows": [[1, "x"]], "truncated": false}'
    assert result_of(first) == result_of(second) != result_of(other)


@pytest.mark.parametrize(("question", "expected"), MASKS)
def test_masks(question: str, expected: str) -> None:
    assert masked(question, known_values(PAIRS)) == expected


def test_similar_examples_differ_in_more_than_names() -> None:
    found = Examples(PAIRS).similar("Was patient 12 given warfarin last year?", 2)
    assert [pair.question[:9] for pair in found] == ["why was p", "Was patie"]


def test_examples_may_be_empty() -> None:
    assert Examples([]).similar("How many?", 3) == []


def test_the_schema_that_models_are_sent_is_fixed() -> None:
    text = "one SELECT statement; null when the records have no answer"
    assert Written.model_json_schema() == {
        "description": "What the model answers.",
        "properties": {
            "sql": {"description": text, "minLength": 1, "title": "Sql", "type": "string"}
        },
        "required": ["sql"],
        "title": "Written",
        "type": "object",
    }


@pytest.mark.integration
@pytest.mark.parametrize("name", one_in(4, [*schema_names()]))
def test_the_tables_of_a_briefing_are_those_of_the_database(name: str, tmp_path: Path) -> None:
    path = tmp_path / "records.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(";".join(create_statements(load_schema(name))))
    with closing(open_database(path)) as database:
        text = "\n\n".join(map(database.definition, database.tables()))
        columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
    assert tables_in(f"Rules\n\nTables\n{text}\n") == columns
    first = load_schema(name).tables[0]
    assert f"{first.name}: {first.meaning}\n" in describe_tables(columns)
