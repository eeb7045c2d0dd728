"""What an interview asks, how answers are put into the request, and what follows it."""

from pathlib import Path

import pytest

from wardround.agents.parser import Parser
from wardround.agents.parser.interview.following import followed
from wardround.agents.parser.interview.questions import unclear
from wardround.agents.parser.interview.rewording import Answer, reworded


def _cases(file: str) -> list[list[str]]:
    lines = (Path(__file__).parent / file).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("sql", "request_", "expected"), _cases("followups.tsv"))
def test_a_follow_up_changes_the_query(sql: str, request_: str, expected: str) -> None:
    assert next(followed(request_, sql), "") == expected


@pytest.mark.parametrize("said", ["Thanks, that is all.", "Only those of the second floor."])
def test_what_is_no_known_change_makes_no_query(said: str) -> None:
    assert list(followed(said, "SELECT drug FROM t")) == []


def test_strange_stretches_are_asked_about_first() -> None:
    asked = unclear("How many of our wards were swamped in the busy season?", ["swamped"])
    assert asked == ["swamped", "wards", "busy season"]


def test_an_answer_takes_the_place_of_the_words_that_it_clears_up(parser: Parser) -> None:
    vague = "How many times was the usual pill prescribed?"
    answers = [Answer("usual pill", "I mean aspirin.")]
    alone = reworded(vague, [], parser)
    cleared = reworded(vague, answers, parser)
    assert "'aspirin'" not in (alone.guess or "")
    assert "'aspirin'" in (cleared.guess or "")
    assert cleared.confidence > alone.confidence


def test_a_refusal_changes_nothing(parser: Parser) -> None:
    request = "How many times was aspirin prescribed?"
    refused = [Answer("aspirin", "Sorry, I cannot help with that.")]
    assert reworded(request, refused, parser) == reworded(request, [], parser)
