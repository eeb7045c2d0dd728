"""Counts calls and tokens of ClinSQL's judge by mode, and compares a leaf with a tree a call.

A real model is needed, which the environment names: `WARDROUND_JUDGE` is written as for
`--role-model judge=`, say `openai:local,base_url=http://127.0.0.1:8000/v1,timeout=900`, and no item
is begun after `WARDROUND_JUDGE_MINUTES` (10). Without a model there is no figure. Items are the
shipped ones without the checks that they bring, as published ones are, so that some leaves are
open. Every second submission is the gold of another item.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Literal, TypeAlias

from bench.figures import Figure, figure
from wardround.apps.command_line.choices import models_by_role
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.checks.leaf_verdicts import JUDGE
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.tasks import shipped_tasks
from wardround.core.actions import Call, Observation
from wardround.core.benchmark import JudgeContext
from wardround.core.declaration import Opening
from wardround.core.trajectory import Requested, Trajectory
from wardround.core.verdict import Verdict
from wardround.models.model import ModelSettings
from wardround.models.roles import RoleModels
from wardround.scoring.agreement import agreement

Source: TypeAlias = Literal["judge", "both"]
Asked: TypeAlias = Literal["leaf", "tree"]
# Undecided leaves come first: a leaf that it asks about is not asked about again.
MODES: tuple[tuple[str, Source, Asked], ...] = (
    ("undecided only", "both", "leaf"),
    ("a leaf a call", "judge", "leaf"),
    ("a tree a call", "judge", "tree"),
)


@dataclass(slots=True)
class ModeUse:
    """The requests of a mode and the verdicts that the judge gave."""

    requests: list[Requested] = field(default_factory=list)
    verdicts: dict[tuple[str, str], Verdict] = field(default_factory=dict)


def measure() -> list[Figure]:
    """Calls, tokens and seconds an item by mode, and the agreement of two modes."""
    named = os.environ.get("WARDROUND_JUDGE")
    if not named:
        return []
    models = models_by_role(BENCHMARK.roles, {"name": None, "base_url": None}, [f"judge={named}"])
    seconds = 60 * float(os.environ.get("WARDROUND_JUDGE_MINUTES", "10"))
    return asyncio.run(_measured(models["judge"], seconds))


async def _measured(settings: ModelSettings, seconds: float) -> list[Figure]:
    models, uses = RoleModels({"judge": settings}), defaultdict[str, ModeUse](ModeUse)
    tasks, items = shipped_tasks().tasks, 0
    opened = {mode: _benchmark(models, source, call) for mode, source, call in MODES}
    began = monotonic()
    for number, task in enumerate(_spread(tasks)):
        sql = tasks[tasks.index(task) - number % 2].hidden.sql
        await _judge(replace(task, hidden=replace(task.hidden, checks={})), sql, opened, uses)
        items += 1
        if monotonic() - began > seconds:
            break
    for benchmark in opened.values():
        benchmark.close()
    await models.close()
    return [*_counts(uses, items, settings.name), _agreement(uses)]


async def _judge(
    task: ClinTask, sql: str, opened: dict[str, CohortBenchmark], uses: dict[str, ModeUse]
) -> None:
    for mode, _, call in MODES:
        use, before = uses[mode], uses[MODES[0][0]]
        known = {v.key: v for (of, _), v in before.verdicts.items() if of == task.id}
        if call == "leaf" and use is not before:
            # The leaves that were open are part of this mode as well.
            use.verdicts |= {key: v for key, v in before.verdicts.items() if key[0] == task.id}
        context = JudgeContext(record=use.requests.append, known=known)
        async for verdict in opened[mode].judge(task, _submission(sql), context):
            if verdict.source.startswith(JUDGE):
                use.verdicts[task.id, verdict.item] = verdict


def _counts(uses: dict[str, ModeUse], items: int, model: str) -> Iterator[Figure]:
    of_open = uses[MODES[0][0]].requests
    for mode, source, call in MODES:
        requests = uses[mode].requests + (of_open if (source, call) == ("judge", "leaf") else [])
        tokens = sum((r.input_tokens or 0) + (r.output_tokens or 0) for r in requests)
        undecided = sum(v.state == "undecided" for v in uses[mode].verdicts.values())
        leaves = f"{len(uses[mode].verdicts)} leaves of {items} items, {undecided} undecided"
        name = f"ClinSQL judge {model}, {mode}"
        yield figure(f"{name}: calls", len(requests) / items, "an item", leaves)
        yield figure(f"{name}: tokens", tokens / items, "an item", "prompts and answers")
        seconds = sum(r.seconds for r in requests) / items
        yield figure(f"{name}: time", seconds, "s an item", "requests one after another")


def _agreement(uses: dict[str, ModeUse]) -> Figure:
    by_leaf, by_tree = (_decided(uses[mode]) for mode, _, _ in MODES[1:])
    found = agreement(by_leaf, by_tree)
    kappa = "none" if found.kappa is None else f"{found.kappa:.2f}"
    share = 100 * found.agreed / found.items if found.items else 0.0
    compared = f"{found.items} leaves decided by both; kappa {kappa}"
    return figure("ClinSQL judge, a leaf and a tree a call agree", share, "%", compared)


def _decided(use: ModeUse) -> dict[tuple[str, str], bool]:
    return {leaf: v.passed for leaf, v in use.verdicts.items() if v.state != "undecided"}


def _benchmark(models: RoleModels, source: Source, call: Asked) -> CohortBenchmark:
    options = CohortOptions(verdicts=source, judge_call=call, judge_sees_data=True)
    return CohortBenchmark.open(Opening(options, {}, BENCHMARK.limits, models))


def _submission(sql: str) -> Trajectory:
    trajectory = Trajectory()
    action = Call("submit_sql", {"query": sql})
    trajectory.acted(action)
    trajectory.observed(Observation("", "tool", done=True), action)
    return trajectory


def _spread(tasks: Sequence[ClinTask]) -> list[ClinTask]:
    """The tasks with neighbours of different scenarios."""
    step = len(tasks) // 6
    return [task for first in range(step) for task in tasks[first::step]]
