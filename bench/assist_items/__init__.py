"""Measures the share of PhysAssistBench's rubric items that programs decide on gold answers.

Beside the shipped items stand half of them as a local model worded them (`reworded.jsonl`, made
by `python -m bench.assist_items.reworded`). The programs were mended after a look at one half of
the wordings, and nobody has looked at the other. A reworded item that fails on a gold answer is
either misread or was changed by the model.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import get_args

import orjson

from bench.figures import Figure, figure
from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.declaration import BENCHMARK, AssistOptions
from wardround.benchmarks.assist.sessions import Language, Session, TaskType
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.core.benchmark import AgentContext, JudgeContext, TrialContext
from wardround.core.declaration import Opening
from wardround.core.limits import Limits
from wardround.core.loop import Turns, converse
from wardround.core.trajectory import Ledger, Trajectory
from wardround.models.roles import UnusedModels

REWORDED = Path(__file__).parent / "reworded.jsonl"
SEEN, UNSEEN = 0, 2  # the first item of each half


def measure() -> list[Figure]:
    """Shares of items decided by language and task type, as shipped and reworded."""
    return [each for language in get_args(Language) for each in _figures(language)]


def _figures(language: Language) -> Iterator[Figure]:
    halves = {"reworded, seen": SEEN, "reworded, unseen": UNSEEN}
    states: dict[str, Counter[str]] = defaultdict(Counter)
    seconds = 0.0
    options = AssistOptions(language=language, verdicts="program")
    benchmark = AssistBenchmark.open(Opening(options, {}, BENCHMARK.limits, UnusedModels()))
    for task in shipped_tasks("hand_written").tasks:
        trajectory = asyncio.run(_oracle(benchmark, task))
        began = perf_counter()
        shipped = asyncio.run(_states(benchmark, task, trajectory))
        seconds += perf_counter() - began
        for item, state in shipped.items():
            turn = task.hidden.turns[int(item[4])]
            states[turn.type][state] += 1
            states["all"][state] += 1
        for half, first in halves.items():
            texts = reworded(language, first)
            changed = _with_items(task, language, texts)
            for item, state in asyncio.run(_states(benchmark, changed, trajectory)).items():
                if f"{task.id} {item}" in texts:
                    states[half][state] += 1
    items = states["all"].total()
    for kind in (*get_args(TaskType), "all", *halves):
        yield _share(language, kind, states[kind])
    name = f"PhysAssistBench items {language}: programs"
    yield figure(name, 1000 * seconds / items, "ms an item", f"{items} items, gold answers")


def _share(language: Language, kind: str, states: Counter[str]) -> Figure:
    total = states.total()
    decided = 100 * (total - states["undecided"]) / total if total else 0.0
    compared = f"{total} items on gold answers, {states['failed']} failed; goal 70% in all"
    return figure(f"PhysAssistBench items {language}, {kind}: decided", decided, "%", compared)


@cache
def reworded(language: Language, first: int) -> dict[str, str]:
    """The wordings of a half by session and item, as "ID turn0:0"."""
    rows = map(orjson.loads, REWORDED.read_bytes().splitlines() if REWORDED.exists() else ())
    return {
        f"{row['id']} {row['item']}": row["text"]
        for row in rows
        if (row["language"], row["first"]) == (language, first)
    }


def _with_items(task: Session, language: Language, texts: Mapping[str, str]) -> Session:
    """A session with reworded items and no stored checks."""
    turns = []
    for number, turn in enumerate(task.hidden.turns):
        items: Sequence[str] = [
            texts.get(f"{task.id} turn{number}:{place}", item)
            for place, item in enumerate(turn.rubric[language])
        ]
        rubric = {**turn.rubric, language: tuple(items)}
        turns.append(replace(turn, rubric=rubric, checks=()))
    return replace(task, hidden=replace(task.hidden, turns=tuple(turns)))


async def _states(
    benchmark: AssistBenchmark, task: Session, trajectory: Trajectory
) -> dict[str, str]:
    verdicts = benchmark.judge(task, trajectory, JudgeContext())
    return {verdict.item: verdict.state async for verdict in verdicts}


async def _oracle(benchmark: AssistBenchmark, task: Session) -> Trajectory:
    trajectory = Trajectory()
    environment = await benchmark.environment(task, TrialContext(0, Limits(), trajectory))
    async with AsyncExitStack() as cleanup:
        agent = benchmark.oracle(task)(environment.briefing, AgentContext(0, Ledger(), cleanup))
        await converse(agent, Turns(environment, trajectory, BENCHMARK.limits))
    await environment.close()
    return trajectory
