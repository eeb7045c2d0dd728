"""Sentences and follow-ups from files are read as they say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.comparing import comparisons, number_in
from wardround.agents.parser.interview.following import followed
from wardround.agents.parser.interview.questions import questions
from wardround.agents.parser.interview.said import Said
from wardround.scoring.numerals import in_words


def lines(name: str) -> list[list[str]]:
    text = Path(__file__).with_name(name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]


@pytest.mark.parametrize(("sentence", "expected"), lines("comparisons.tsv"))
def test_comparisons(sentence: str, expected: str) -> None:
    found = {f"{one.by} {one.number}" for one in comparisons(sentence)}
    wanted = expected.split()
    assert found == {f"{by} {number}" for by, number in zip(wanted[::2], wanted[1::2], strict=True)}


@given(st.integers(0, 100), st.sampled_from(["{} or more", "at least {}", "no fewer than {} days"]))
def test_numbers_in_words_are_the_numbers(number: int, said: str) -> None:
    for text in (str(number), in_words(number), in_words(number).replace(" ", "-")):
        [one] = comparisons(said.format(text))
        assert (one.by, one.number) == (">=", str(number))
        assert number_in(f"only the first {text}") == str(number)


@pytest.mark.parametrize(("sql", "request_", "expected"), lines("followups.tsv"))
def test_follow_ups(sql: str, request_: str, expected: str, chart: Chart) -> None:
    assert next(followed(request_, sql, chart)) == expected


def test_no_question_is_asked_twice_and_all_end(chart: Chart) -> None:
    said = [Said("request", "Show me our frequent visitors.")]
    asked: list[str] = []
    while question := next(questions(said, asked, chart, []), None):
        assert question.text not in asked
        asked.append(question.text)
        said.append(Said(question.topic, "I want to see the patient and frequent visitors."))
    assert "What should each line of the result show?" in asked
    assert "What exactly do you mean by “frequent visitors”?" in asked
    assert len(asked) < 20


def test_terms_that_nothing_defines_are_asked_about(chart: Chart) -> None:
    request = Said("request", "How many were ill?")
    heard = Said("meaning", "Those with sepsis, as our definitions have it.", "ill")
    asked = [one.about for one in questions([request, heard], [], chart, [])]
    assert asked[0] == "sepsis"
