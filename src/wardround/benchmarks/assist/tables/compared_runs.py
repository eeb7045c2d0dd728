"""Runs that are compared: their names, languages and pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from wardround.benchmarks.assist.scorer import AssistMeasures
from wardround.benchmarks.assist.tables.turn_tables import SessionTrial
from wardround.benchmarks.assist.tasks import Language
from wardround.benchmarks.kit.groups import Trials
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.run_names import distinct_names, system

Settings: TypeAlias = Mapping[str, Any]
# Options that pairs of runs agree in, but for the one that they are compared by.
_OPTIONS = ("language", "explicit", "literacy", "patient")


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run beside others.

    Attributes:
        name: its name among them.
        settings: its settings.
        trials: its sessions.
        grading: the grading by which they are compared.
    """

    name: str
    settings: Settings
    trials: Sequence[SessionTrial]
    grading: str

    @property
    def language(self) -> Language:
        """The language of its sessions."""
        return self.trials[0].measures.settings.language

    @property
    def explicit(self) -> bool:
        """True if the explicit questions were asked."""
        return self.trials[0].measures.settings.explicit

    @property
    def system(self) -> str:
        """Its agent and model."""
        return system(self.settings)


def compared_runs(runs: Sequence[tuple[Settings, Trials]], grading: str) -> list[ComparedRun]:
    """The runs that have measured sessions, named apart."""
    names = names_of([settings for settings, _ in runs])
    measured = [measured_in_bounds(trials, AssistMeasures) for _, trials in runs]
    settings = [settings for settings, _ in runs]
    return [
        ComparedRun(*each, grading)
        for each in zip(names, settings, measured, strict=True)
        if each[2]
    ]


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


def pairs(runs: Sequence[ComparedRun], option: str) -> Iterator[tuple[ComparedRun, ComparedRun]]:
    """Pairs of runs of a system that differ in an option alone: implicit, or English, first."""
    for first, second in combinations(runs, 2):
        left, right = (
            {"system": run.system} | {name: run.settings.get(name) for name in _OPTIONS}
            for run in (first, second)
        )
        if {name for name in left if left[name] != right[name]} == {option}:
            ordered = str(left[option] or "") < str(right[option] or "")
            yield (first, second) if ordered else (second, first)
