"""The agent without a model on shipped sessions: plain orders, nothing unasked."""

import pytest

from tests.benchmarks.assist.played import graded, opened, play
from wardround.agents.clerk.agent import open_agents
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.benchmarks.assist.turns import played_turns

WRITING = [task for task in shipped_tasks("hand_written").tasks if task.hidden.turns[3].writes]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_writes_orders_that_are_given_in_full_and_nothing_unasked(
    language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark = opened(language=language, explicit=True)
    monkeypatch.setattr(benchmark, "oracle", lambda task: open_agents(None))
    wrote = []
    for task in WRITING[::2]:
        trajectory, _ = play(benchmark, task)
        turns = played_turns(trajectory)
        assert all(turn.prepared and turn.answer for turn in turns), task.id
        for turn, gold in zip(turns, task.hidden.turns, strict=True):
            assert gold.writes or not turn.written, (task.id, turn.question)
            wrote += [bool(turn.written)] if gold.writes else []
    assert all(wrote)
    assert wrote


def test_looks_up_a_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = opened()
    monkeypatch.setattr(benchmark, "oracle", lambda task: open_agents(None))
    task = shipped_tasks("hand_written").tasks[0]
    trajectory, _ = play(benchmark, task)
    first = graded(benchmark, task, trajectory).measures["turns"][0]
    assert first["passed"]["strict"] >= first["items"] - 1  # one sentence names two values
