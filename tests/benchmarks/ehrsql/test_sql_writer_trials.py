"""The SQL writer in trials of EHRSQL."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.trials import run_trial
from wardround.benchmarks.ehrsql.benchmark import EhrsqlBenchmark
from wardround.benchmarks.ehrsql.sql_agents import open_agents
from wardround.core.record import Outcome
from wardround.core.tools import ToolSpec
from wardround.core.trial import Attempt
from wardround.models import Message, Reply, scripted
from wardround.models.roles import RoleModels
from wardround.runs.settings import RunSettings

GOLDS = {"count": "select count(*) from orders", "why": "null"}


@pytest.fixture
def opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[EhrsqlBenchmark, Path]]:
    """A database of two orders, with an answerable and an unanswerable question."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with sqlite3.connect(tmp_path / "ward.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE orders (drug TEXT); INSERT INTO orders VALUES (1), (2)"
        )
    connection.close()
    tasks = tmp_path / "tasks.json"
    records = [
        {"id": id, "question": f"{id}?", "query": gold, "db_id": "ward"}
        for id, gold in GOLDS.items()
    ]
    tasks.write_text(json.dumps(records), encoding="utf-8")
    databases = {"ward": str(tmp_path / "ward.sqlite")}
    settings = RunSettings(benchmark="ehrsql", tasks=tasks, databases=databases, agent="sql")
    benchmark = EhrsqlBenchmark.open(settings.opening(RoleModels({})))
    yield benchmark, tasks
    benchmark.close()


async def lived(opened: tuple[EhrsqlBenchmark, Path], id: str, *samples: str) -> Attempt:
    benchmark, tasks = opened
    remaining = list(samples)

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply(json.dumps({"sql": remaining.pop(0)}))

    make = open_agents(scripted(answer), examples=tasks, samples=len(samples))
    [task] = [task for task in benchmark.load(tasks).tasks if task.id == id]
    return (await run_trial(benchmark, make, task, 0)).attempts[-1]


async def test_equal_answer_passes(opened: tuple[EhrsqlBenchmark, Path]) -> None:
    done = await lived(
        opened, "count", "SELECT 7", "SELECT COUNT(*) FROM orders", "SELECT COUNT(drug) FROM orders"
    )
    assert done.outcome is Outcome.PASSED
    assert done.measures == {"answered": True, "problem": "", "confidence": pytest.approx(2 / 3)}


async def test_correct_abstention_passes(opened: tuple[EhrsqlBenchmark, Path]) -> None:
    done = await lived(opened, "why", "null", "SELECT nothing FROM nowhere", "null")
    assert done.outcome is Outcome.PASSED
    assert done.measures == {"answered": False, "problem": "", "confidence": pytest.approx(2 / 3)}
