"""Searches that try queries, driven by a database or by hand."""

from typing import NoReturn

import pytest

from wardround.agents.parser.grammar.records import present_views
from wardround.agents.parser.query_search import (
    Search,
    advance,
    run_search,
    tool_rows,
    without_repeats,
)
from wardround.core.errors import AgentError
from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.interface import process_ended, too_late
from wardround.ehr.records import Views


def total(queries: list[str]) -> Search[int]:
    """Add up the first cells of the queries' results; a failed query counts 100."""
    sum_ = 0
    for query in queries:
        rows = yield query
        cell = rows[0][0] if rows else 100
        assert isinstance(cell, int)
        sum_ += cell
    return sum_


def test_database_runs_each_query(ward: Database) -> None:
    assert run_search(total(["SELECT 1", "SELECT n", "SELECT nothing"]), ward, {"n": "2"}) == 103


def test_search_is_advanced_by_rows() -> None:
    search = total(["SELECT 1", "SELECT 2"])
    assert advance(search) == "SELECT 1"
    assert advance(search, ((1,),)) == "SELECT 2"
    assert advance(search, None) == 101


def test_repeated_queries_are_tried_once() -> None:
    search = without_repeats(total(["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 2"]))
    assert advance(search) == "SELECT 1"
    assert advance(search, ((1,),)) == "SELECT 2"
    assert advance(search, ((2,),)) == 6


def test_a_query_that_is_cut_off_fails_the_search(
    ward: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ward.driver, "run", lambda *arguments: _fail(too_late(5)))
    with pytest.raises(QueryError, match="stopped after 5 s"):
        run_search(total(["SELECT 1"]), ward, {})
    with pytest.raises(QueryError, match="stopped after 5 s"):
        present_views(Views("sqlite", {"drug": "SELECT 1"}, {"drug": ()}, {}), ward)
    monkeypatch.setattr(ward.driver, "run", lambda *arguments: _fail(process_ended()))
    with pytest.raises(QueryError, match="ended the process"):
        run_search(total(["SELECT 1"]), ward, {})


@pytest.mark.parametrize("fault", [too_late(5), process_ended()])
def test_a_tool_that_was_cut_off_fails_the_agent(fault: QueryError) -> None:
    with pytest.raises(AgentError, match="The records could not be asked"):
        tool_rows(f"Error: {fault}")


def _fail(error: QueryError) -> NoReturn:
    raise error


def test_search_without_queries_ends_at_once(ward: Database) -> None:
    assert run_search(total([]), ward, {}) == 0
    assert advance(total([])) == 0
