"""Interviews from the file are understood, and their queries find what they should."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.composing import composed
from wardround.agents.parser.interview.hearing import understood
from wardround.agents.parser.interview.rereading import readings
from wardround.agents.parser.interview.said import Said
from wardround.ehr.database import Database

NOW = "2100-12-31 23:59:00"
_FILE = Path(__file__).with_name("interviews.toml").read_text("utf-8")
CASES: list[dict[str, Any]] = tomllib.loads(_FILE)["interview"]


def said_in(case: dict[str, Any]) -> list[Said]:
    return [Said("request", case["request"]), *(Said(*one) for one in case["said"])]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_interviews(case: dict[str, Any], chart: Chart, clinic: Database) -> None:
    wish = understood(said_in(case), chart, NOW)
    assert wish is not None
    sql = composed(wish, chart)
    found = clinic.execute(sql, rows=None).rows
    assert [list(row) for row in found] == [pytest.approx(row) for row in case["rows"]], sql


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_every_other_reading_can_be_run(
    case: dict[str, Any], chart: Chart, clinic: Database
) -> None:
    wish = understood(said_in(case), chart, NOW)
    assert wish is not None
    queries = [composed(one, chart) for one in readings(wish, chart)]
    assert len(set(queries)) == len(queries)
    for sql in queries:
        clinic.execute(sql, rows=None)


def test_a_request_without_anything_known_makes_no_query(chart: Chart) -> None:
    assert understood([Said("request", "Hello.")], chart, NOW) is None


def test_refusals_are_no_answers(chart: Chart) -> None:
    said = [Said("request", "How many stays were there?")]
    refused = Said("which", "Sorry, I cannot help with that: 65 or older at medicare.")
    assert understood([*said, refused], chart, NOW) == understood(said, chart, NOW)
