"""Runs of sessions beside each other: their names, languages and pairs."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from wardround.benchmarks.assist.scorer import AssistMeasures
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.kit.compared_runs import ComparedRun, Settings, distinct_names, system
from wardround.benchmarks.kit.groups import Trials
from wardround.benchmarks.kit.measures import measured_in_bounds

SessionRun: TypeAlias = ComparedRun[AssistMeasures]
# Options that pairs of runs agree in, but for the one that they are compared by.
_OPTIONS = ("language", "explicit", "literacy", "patient")


def compared_runs(runs: Sequence[tuple[Settings, Trials]]) -> list[SessionRun]:
    """The runs that have measured sessions, named apart."""
    names = names_of([settings for settings, _ in runs])
    compared = (
        ComparedRun(name, settings, measured_in_bounds(trials, AssistMeasures))
        for name, (settings, trials) in zip(names, runs, strict=True)
    )
    return [run for run in compared if run.trials]


def language_of(run: SessionRun) -> Language:
    """The language of a run's sessions."""
    return run.trials[0].measures.settings.language


def is_explicit(run: SessionRun) -> bool:
    """True if the explicit questions were asked."""
    return run.trials[0].measures.settings.explicit


def names_of(runs: Sequence[Settings]) -> list[str]:
    """Names of runs: the system, with language, questions or seed where they differ.

    >>> of = {"agent": "tools", "models": {"agent": {"name": "openai:gpt-5"}}}
    >>> names_of([of | {"language": "en"}, of | {"language": "zh"}])
    ['tools gpt-5, en', 'tools gpt-5, zh']
    """
    details = [
        {
            "language": str(run.get("language", "")),
            "questions": "explicit" if run.get("explicit") else "implicit",
            "seed": f"seed {run['seed']}" if "seed" in run else "",
        }
        for run in runs
    ]
    return distinct_names([system(run) for run in runs], details)


def pairs(runs: Sequence[SessionRun], option: str) -> Iterator[tuple[SessionRun, SessionRun]]:
    """Pairs of runs of a system that differ in an option alone: implicit, or English, first."""
    for first, second in combinations(runs, 2):
        left, right = (
            {"system": run.system} | {name: run.settings.get(name) for name in _OPTIONS}
            for run in (first, second)
        )
        if {name for name in left if left[name] != right[name]} == {option}:
            ordered = str(left[option] or "") < str(right[option] or "")
            yield (first, second) if ordered else (second, first)
