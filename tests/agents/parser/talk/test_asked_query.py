"""A request becomes one query, of which each condition says whose it is."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import orjson
import sqlglot

from tests.cases import for_each
from wardround.agents.parser.talk.asked_query import asked_query
from wardround.agents.parser.talk.request import Clause, Request
from wardround.agents.parser.talk.schema import Schema
from wardround.agents.parser.talk.turns.turn_reader import read_turn
from wardround.agents.parser.talk.value_linker import linked as with_values
from wardround.ehr.query import Condition, Query, link, to_sql, to_words
from wardround.ehr.query.condition_words import condition_words
from wardround.ehr.records import Views
from wardround.ehr.schema import load_schema

NOW = datetime(2100, 12, 31, 23, 59)
LINES = (Path(__file__).parent / "asked_queries.jsonl").read_text("utf-8").splitlines()


def linked(clause: Clause) -> Clause:
    """The clause with its own words, or a name that records may hold, as the stored value."""
    if clause.anchor:
        clause = replace(clause, anchor=linked(clause.anchor))
    if not clause.phrase:
        return clause
    return with_values(
        clause, (*clause.words.names, clause.phrase)[:1], is_part=clause.kind == "drug"
    )


def query_of(turns: list[str]) -> tuple[Query, Views]:
    request = Request()
    for turn in turns:
        request = read_turn(request, turn, NOW)
    for clause in request.all_conditions():
        request = request.with_condition(clause, linked(clause))
    tables = load_schema("mimic_iv_star").tables
    columns = {table.name: tuple(c.name for c in table.columns) for table in tables}
    views = Schema(tuple(columns), columns).views(request.kinds(), "sqlite")
    assert request.goal
    return link(asked_query(request, request.goal, views), request.links), views


def scopes(query: Query) -> Iterator[str]:
    """Whose each condition is, in a word."""
    for condition in (*query.conditions, *query.part):
        yield "/".join(_scopes(condition))


def _scopes(condition: Condition) -> Iterator[str]:
    yield condition.scope
    for other in condition.alternatives:
        yield from _scopes(other)


@for_each(LINES)
def test_the_query_says_what_the_request_means(line: str) -> None:
    case = orjson.loads(line)
    query, views = query_of(case["turns"])
    assert to_words(query)[0] == case["goal"]
    conditions = [condition_words(each, query) for each in (*query.conditions, *query.part)]
    words = [f"{s}: {c}" for s, c in zip(scopes(query), conditions, strict=True)]
    assert words == case["conditions"]
    assert sqlglot.parse_one(to_sql(query, views), read="sqlite")
