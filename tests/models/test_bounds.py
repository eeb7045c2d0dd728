"""Answers are bounded, so that any answer can be stored, and is stored once."""

from hashlib import sha256
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.test_provider import Endpoint, chat, completion, tool_call
from wardround.core.record import use_by_role
from wardround.models import Answer, ModelCall, Reply
from wardround.models.bounds import MOST_BYTES, MOST_TOKENS, bounded
from wardround.models.exchange import answer_from_json, answer_to_json

# Most chat with a local server.
pytestmark = pytest.mark.integration

HUGE = [10**30, 10**300, 2**64, -(10**30), -1]


@pytest.mark.parametrize("count", HUGE)
def test_excessive_token_counts_do_not_fail_a_call(count: int) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count, "total_tokens": count}
    reply, requests = chat(Endpoint(completion(usage=usage)))
    assert reply.text == "Ward 3."
    assert requests[0].input_tokens is None
    assert requests[0].output_tokens is None
    assert requests[0].cost is None
    assert use_by_role(requests)[requests[0].role].input_tokens is None
    orjson.dumps(requests)


def test_a_plausible_count_beside_an_excessive_one_is_kept() -> None:
    usage = {"prompt_tokens": MOST_TOKENS, "completion_tokens": MOST_TOKENS + 1}
    _, requests = chat(Endpoint(completion(usage=usage)))
    assert (requests[0].input_tokens, requests[0].output_tokens) == (MOST_TOKENS, None)


def test_unknown_counts_of_a_failed_attempt_make_the_sum_unknown() -> None:
    usage = {"prompt_tokens": 10**9, "completion_tokens": 3}
    _, requests = chat(Endpoint(completion(choices=[], usage=usage), completion()))
    assert requests[0].input_tokens is None
    assert requests[0].output_tokens == 6


_ANY = st.one_of(
    st.integers(), st.floats(), st.sampled_from([*HUGE, float("nan"), float("inf")]), st.none()
)
_JSON: Any = st.recursive(
    st.one_of(st.none(), st.integers(), st.floats(), st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_ANY, _ANY, st.none() | st.floats(), st.text(), st.dictionaries(st.text(), _JSON), st.text())
def test_bounded_answers_round_trip(
    read: Any, written: Any, cost: float | None, text: str, arguments: dict[str, Any], name: str
) -> None:
    calls = (ModelCall(name * 99, name, arguments),)
    answer = bounded(Answer(Reply(text, calls, name * 99), read, written, cost))
    try:
        answer.reply.text.encode()
    except UnicodeEncodeError:
        return
    assert answer_from_json(answer_to_json(answer)).input_tokens == answer.input_tokens


@pytest.mark.parametrize("letter", ["x", "é", "漢"])
def test_a_long_answer_is_kept_once_with_length_and_digest(letter: str) -> None:
    text = letter * 400_000
    content = text.encode()
    reply, _ = chat(Endpoint(completion(text, message={"reasoning_content": text})))
    beginning, _, note = reply.text.rpartition("\n")
    assert MOST_BYTES - 4 <= len(beginning.encode()) <= MOST_BYTES
    assert note == f"[shortened: {len(content):,} bytes, SHA-256 {sha256(content).hexdigest()}]"
    assert len(answer_to_json(Answer(reply))) < 2 * MOST_BYTES


def test_arguments_that_are_too_long_are_a_problem_of_the_call() -> None:
    reply, _ = chat(Endpoint(tool_call(orjson.dumps({"query": "x" * 400_000}).decode())))
    (call,) = reply.calls
    assert call.arguments == {}
    assert "262,144 are the most" in call.problem


def test_tokens_of_failed_attempts_are_counted() -> None:
    _, requests = chat(Endpoint(completion(choices=[]), completion(choices=None), completion()))
    assert (requests[0].input_tokens, requests[0].output_tokens) == (21, 9)
