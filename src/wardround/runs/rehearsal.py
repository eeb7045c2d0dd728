"""Trials outside a run, played, judged and scored as in one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from wardround.core.benchmark import AgentMaker, Benchmark
from wardround.core.declaration import BenchmarkDeclaration, Grading
from wardround.core.session import play_trial
from wardround.core.task import Task
from wardround.core.trial import FinishedTrial, judge_trial, score_trial
from wardround.core.verdict import Verdict, latest
from wardround.runs.settings import RunSettings


async def rehearse(
    benchmark: Benchmark,
    make_agent: AgentMaker,
    task: Task[Any, Any],
    settings: RunSettings,
    gradings: Sequence[str],
) -> Mapping[str, FinishedTrial]:
    """Plays and judges a trial once, and scores it in each grading that its task has.

    The last attempt holds all verdicts, those of the judge too.
    """
    played = await play_trial(
        benchmark,
        make_agent,
        task,
        0,
        run_seed=settings.seed,
        limits=settings.limits,
        attempts=1,
    )
    verdicts: list[Verdict] = list(played.last.verdicts)
    problem = await judge_trial(
        benchmark, played, verdicts, lambda verdict, _: verdicts.append(verdict)
    )
    played = played.with_last(replace(played.last, verdicts=tuple(latest(verdicts))))

    def scored_in(name: str) -> FinishedTrial:
        deciding = in_grading(settings, name).deciding
        return score_trial(benchmark.score, played, verdicts, deciding, problem)

    first, *others = gradings
    scored = {first: scored_in(first)}
    # Some tasks are not graded in every grading of their benchmark.
    graded = scored[first].last.rewards or {}
    return scored | {name: scored_in(name) for name in others if name in graded}


def environments(declared: BenchmarkDeclaration, chosen: str) -> dict[str, list[str]]:
    """The gradings, by the grading whose environment they share.

    Args:
        declared: the benchmark.
        chosen: the only grading; all if empty.
    """
    gradings = declared.gradings or (Grading("", ""),)
    shared: dict[str, list[str]] = {}
    for each in gradings:
        if chosen in ("", each.name):
            environment = each if each.own_environment else gradings[0]
            shared.setdefault(environment.name, []).append(each.name)
    return shared


def in_grading(settings: RunSettings, grading: str) -> RunSettings:
    """The settings with another grading."""
    return settings.model_copy(update={"grading": grading})
