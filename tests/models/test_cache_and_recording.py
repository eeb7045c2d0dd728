"""Request keys, the cache and recordings."""

import asyncio
import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import InfraError, UserError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Requested
from wardround.models import (
    Message,
    ModelCall,
    ModelSettings,
    Recorder,
    Recording,
    Reply,
    ResponseCache,
    replayed,
)
from wardround.models.exchange import Answer, Request, answer_from_json, answer_to_json

KEY = "1e651fe60e36aaec4bfae29a108080d361d36c178c1b8b24183b37799d1587fd"
REQUEST = Request("openai:m", None, (Message("user", "Which ward?"),), seed=1)
CHANGES: list[dict[str, Any]] = [
    {"model": "openai:n"},
    {"base_url": "http://127.0.0.1/v1"},
    {"messages": (Message("system", "Which ward?"),)},
    {"messages": (*REQUEST.messages, Message("assistant", "3"))},
    {"tools": (ToolSpec("sql_execute", "Runs SQL.", {"type": "object"}),)},
    {"schema": {"type": "object"}},
    {"schema_name": "Verdict"},
    {"temperature": 0.0},
    {"reasoning_effort": "low"},
    {"max_tokens": 10},
    {"seed": 2},
    {"seed": None},
]


class Counting:
    """A source that numbers its answers."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, request: Request) -> Answer:
        self.asked += 1
        return Answer(Reply(f"answer {self.asked}"), 7, 3, cost=0.25, retries=1)


def test_every_field_changes_the_request_key() -> None:
    keys = {replace(REQUEST, **change).key for change in CHANGES}
    assert len(keys | {REQUEST.key}) == len(CHANGES) + 1
    assert replace(REQUEST).key == REQUEST.key


def test_a_tool_s_role_is_no_part_of_the_key() -> None:
    plain = ToolSpec("sql_execute", "Runs SQL.", {"type": "object"})
    with_role = replace(plain, role="run_query")
    assert replace(REQUEST, tools=(plain,)).key == replace(REQUEST, tools=(with_role,)).key


def test_keys_are_those_of_earlier_caches_and_recordings() -> None:
    tools = (ToolSpec("sql_execute", "Runs SQL.", {"type": "object", "required": []}),)
    request = replace(REQUEST, tools=tools, schema={"type": "object", "properties": {}})
    assert request.key == KEY


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists, max_leaves=5
)
calls = st.builds(ModelCall, st.text(), st.text(), st.dictionaries(st.text(), json_values))
replies = st.builds(Reply, st.text(), st.lists(calls, max_size=2).map(tuple), st.text(), st.text())


@given(st.builds(Answer, replies, st.integers(0, 10**6), cost=st.none() | st.floats(0, 9)))
def test_answers_round_trip_through_json(answer: Answer) -> None:
    assert answer_from_json(answer_to_json(answer)) == answer


def test_a_cached_answer_costs_nothing(tmp_path: Path) -> None:
    source = Counting()
    for expected in ((0.25, 1, False), (0.0, 0, True)):
        cache = ResponseCache(tmp_path / "cache.sqlite")
        answer = asyncio.run(_ask(cache.before(source), REQUEST))
        cache.close()
        assert answer.reply == Reply("answer 1")
        assert (answer.cost, answer.retries, answer.cached) == expected
        assert (answer.input_tokens, answer.output_tokens) == (7, 3)
    assert source.asked == 1


def test_a_changed_request_is_not_cached(tmp_path: Path) -> None:
    source, cache = Counting(), ResponseCache(tmp_path / "cache.sqlite")
    for change in ({}, *CHANGES):
        asyncio.run(_ask(cache.before(source), replace(REQUEST, **change)))
    cache.close()
    assert source.asked == len(CHANGES) + 1


@pytest.mark.integration
def test_processes_share_a_cache(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.starmap(_fill, [(path, 0), (path, 1)])
    cache = ResponseCache(path)
    cached = [cache.get(f"key-{writer}-{n}") for writer in range(2) for n in range(50)]
    cache.close()
    assert all(answer is not None and answer.cached for answer in cached)


def test_a_file_that_is_not_a_cache_is_a_user_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and long enough to be seen as none" * 40)
    with pytest.raises(UserError, match=r"notes.txt cannot be opened"):
        ResponseCache(path)


def test_a_recording_answers_repeated_requests_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    recorder = Recorder(path)
    source = recorder.around(Counting())
    for _ in range(2):
        asyncio.run(_ask(source, REQUEST))
    recorder.close()
    recording = Recording(path)
    answers = [asyncio.run(recording.answer(REQUEST)) for _ in range(3)]
    assert [answer.reply.text for answer in answers] == ["answer 1", "answer 2", "answer 2"]
    assert all(answer.cached and answer.cost == 0.0 for answer in answers)


def test_an_unrecorded_request_is_an_infra_error(tmp_path: Path) -> None:
    settings = ModelSettings(name="openai:m", max_tokens=None)
    recorder = Recorder(tmp_path / "talk.jsonl")
    asyncio.run(_ask(recorder.around(Counting()), REQUEST))
    recorder.close()
    requests: list[Requested] = []
    model = replayed(settings, Recording(tmp_path / "talk.jsonl")).bind("user", requests.append, 1)
    assert asyncio.run(model.chat(REQUEST.messages)) == Reply("answer 1")
    assert (requests[0].role, requests[0].cached, requests[0].input_tokens) == ("user", True, 7)
    with pytest.raises(InfraError, match=r"talk.jsonl has no answer to this request of model"):
        asyncio.run(model.chat([Message("user", "never asked")]))


def test_a_truncated_last_line_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    recorder = Recorder(path)
    asyncio.run(_ask(recorder.around(Counting()), REQUEST))
    recorder.close()
    path.write_bytes(path.read_bytes() + b'{"key": "half')
    assert asyncio.run(Recording(path).answer(REQUEST)).reply.text == "answer 1"


def test_an_invalid_line_is_a_user_error(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"key": "a"}\n')
    with pytest.raises(UserError, match=r"Line 1 of the recording .*talk.jsonl is not an exchange"):
        Recording(path)


def test_a_missing_recording_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.jsonl cannot be read"):
        Recording(tmp_path / "none.jsonl")


async def _ask(source: Any, request: Request) -> Answer:
    answer: Answer = await source(request)
    return answer


def _fill(path: Path, writer: int) -> None:
    cache = ResponseCache(path)
    for n in range(50):
        cache.put(f"key-{writer}-{n}", Answer(Reply(str(n))))
    cache.close()
