"""Finding time expressions in questions."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from sqlglot import exp, parse_one

from tests.cases import for_each
from tests.ehr.times.filter_strategies import filters
from wardround.ehr.times import TimeFilter, filter_text, find_times, query_time_filters, time_filter

_DATA = Path(__file__).parents[4] / "shared" / "data"


def _questions() -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "questions.txt").read_text().splitlines()
    cases = [line.rsplit("|", 1) for line in lines if line and not line.startswith("#")]
    return [(question.strip(), expected.strip()) for question, expected in cases]


def _read(text: str) -> TimeFilter:
    id, *values = text.split()
    return time_filter(id, **{name: int(value) for name, value in (v.split("=") for v in values)})


@for_each(_questions())
def test_times_in_questions_match_the_file(question: str, expected: str) -> None:
    filters = [_read(part) for part in expected.split(";") if part.strip()]
    assert [result.filter for result in find_times(question)] == filters


@given(
    exact=filters(lambda template: template.role == "exact"),
    within=filters(lambda template: template.role == "within"),
    limiting=filters(lambda template: template.role == "global"),
)
@settings(deadline=None)
def test_template_wordings_are_found(
    exact: TimeFilter, within: TimeFilter, limiting: TimeFilter
) -> None:
    filters = (exact, within, limiting)
    phrases = [filter_text(filter) for filter in filters]
    question = f"Was aspirin given {phrases[0]} to patient 12 {phrases[1]} after gout {phrases[2]}?"
    result = find_times(question)
    assert [item.filter for item in result] == list(filters)
    assert [question[item.start : item.end] for item in result] == phrases


def test_expressions_are_ordered_without_overlaps() -> None:
    result = find_times("Since 2 years ago, when was the first of the last tests in 03/this year?")
    ends = [0, *(item.end for item in result)]
    assert all(end <= item.start for end, item in zip(ends, result, strict=False))


@pytest.mark.skipif(
    not _DATA.exists(),
    reason="no published questions: the share of understood times is not measured",
)
def test_most_published_questions_yield_the_filters_of_their_queries() -> None:
    folder = _DATA / "ehrsql-2024" / "train"
    questions = {
        load["id"]: load["question"]
        for load in json.loads((folder / "data.json").read_text())["data"]
    }
    golds = {
        id: sql
        for id, sql in json.loads((folder / "label.json").read_text()).items()
        if sql != "null"
    }
    sample = list(golds.items())[::12]
    agreeing = sum(
        _filters_in_question(questions[id]) == _filters_in_sql(sql) for id, sql in sample
    )
    assert (agreeing, len(sample)) == (390, 390)


def _key(filter: TimeFilter) -> tuple[str, tuple[tuple[str, int], ...]]:
    return filter.template.id, tuple(sorted(filter.values.items()))


def _filters_in_question(question: str) -> set[tuple[str, tuple[tuple[str, int], ...]]]:
    return {_key(result.filter) for result in find_times(question)}


def _filters_in_sql(sql: str) -> set[tuple[str, tuple[tuple[str, int], ...]]]:
    tree = parse_one(sql, read="sqlite")
    assert isinstance(tree, exp.Expression)
    return {_key(result.filter) for result in query_time_filters(tree)}
