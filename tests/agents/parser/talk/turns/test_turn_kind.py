"""New questions, and questions about what was asked before."""

from datetime import datetime
from pathlib import Path

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.agents.parser.talk.request import Request
from wardround.agents.parser.talk.turns.turn_kind import swaps, turn_kind
from wardround.agents.parser.talk.turns.turn_reader import read_turn
from wardround.agents.parser.talk.turns.unread_words import unread_words, without_words

NOW = datetime(2100, 12, 31, 23, 59)
LINES = (Path(__file__).parent / "follow_ups.jsonl").read_text("utf-8").splitlines()


def request_after(turns: list[str]) -> Request:
    request = Request()
    for turn in turns:
        is_new = request.turns > 0 and turn_kind(request, turn, NOW) == "new"
        request = read_turn(Request() if is_new else request, turn, NOW, failed=swaps(turn))
    return request


@for_each(LINES)
def test_a_turn_is_new_or_goes_on_or_either(line: str) -> None:
    case = orjson.loads(line)
    assert turn_kind(request_after(case["said"]), case["next"], NOW) == case["kind"]


@for_each(
    [
        ("How many patients have osteoarthritis of the knee?", ("knee",)),
        ("How many people were born before 1950?", ("born",)),
        ("How many patients speak Spanish?", ("speak", "spanish")),
        ("Delete the rows of patient 10004235.", ("delete", "rows")),
        ("What is the last creatinine of patient 10004235?", ()),
        ("I don't want anyone who has ever been on Lasix.", ()),
        ("What is the gender of patient 10004235?", ()),
        ("How many women over 65 were prescribed foobarin in 2100?", ()),
    ]
)
def test_words_that_nothing_reads_are_found(question: str, unread: tuple[str, ...]) -> None:
    assert unread_words([Request()], question, NOW) == unread


@for_each(
    [
        (["How many patients took aspirin since 2099?"], ()),
        (["How many patients took aspirin since 03/2099?"], ("since", "03/2099")),
        (["How many patients had a hemoglobin below 8?"], ()),
        (["How many patients have hypertension?", "Only those over 65."], ()),
        (["How many patients have hypertension?", "In the second stay?"], ("second",)),
        (["How many patients have hypertension?", "Without aspirin."], ()),
        (["When was patient 10014354 last discharged?", "The first time?"], ()),
        (["What was the highest creatinine in 2150?", "What was it in 2151, then?"], ("then",)),
        (["What was the highest creatinine in 2150?", "And the third?"], ("third",)),
        (["How many patients were discharged?"], ("discharged",)),
        (["How many patients were discharged to rehab?"], ()),
        (["When was patient 10014354 last discharged?"], ()),
        (["How many patients died in 2100?"], ("in 2100",)),
        (["How many of the patients admitted in 2100 died?"], ()),
        (["How many patients had a creatinine that fell?"], ("fell",)),
        (["How many patients had a creatinine that fell below 0.6?"], ()),
    ]
)
def test_words_that_limit_are_read_or_named(turns: list[str], ignored: tuple[str, ...]) -> None:
    *said, last = turns
    contexts = [request_after(said), Request()]
    assert unread_words(contexts, last, NOW, failed=swaps(last)) == ignored


@given(st.text(st.sampled_from("how many knee pats aspirin 65 ?.,"), max_size=60))
def test_nothing_is_unread_in_what_is_left(question: str) -> None:
    unread = unread_words([Request()], question, NOW)
    rest = without_words(question, unread) if unread else question
    assert not set(unread_words([Request()], rest, NOW)) & set(unread)
