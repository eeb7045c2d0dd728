"""Searches that try queries, driven by a database or by hand."""

from wardround.agents.parser.query_search import Search, advance, run_search, without_repeats
from wardround.ehr.database import Database


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


def test_search_without_queries_ends_at_once(ward: Database) -> None:
    assert run_search(total([]), ward, {}) == 0
    assert advance(total([])) == 0
