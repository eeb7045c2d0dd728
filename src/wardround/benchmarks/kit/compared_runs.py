"""Runs beside each other: their settings, and names that tell them apart."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from wardround.benchmarks.kit.measures import Measured
from wardround.core.errors import UserError
from wardround.core.run_reader import WITHOUT_EFFECT, read_settings
from wardround.core.serialization import flattened

Settings: TypeAlias = Mapping[str, Any]
Measures = TypeVar("Measures")


@dataclass(frozen=True, slots=True)
class ComparedRun(Generic[Measures]):
    """A run beside others.

    Attributes:
        name: its name among them.
        settings: its settings as in `run.json`, options at the top.
        trials: its trials with their measures.
    """

    name: str
    settings: Settings
    trials: Sequence[Measured[Measures]]

    @property
    def system(self) -> str:
        """Its agent and model."""
        return system(self.settings)


def system(settings: Settings) -> str:
    """Names a run's agent, with its model and its own settings, if any.

    >>> system({"agent": "tools", "models": {"agent": {"name": "openai:gpt-5"}}})
    'tools gpt-5'
    >>> system({"agent": "parser", "agent_settings": {"penalty": "5", "file": "runs/a.parser"}})
    'parser file=a.parser penalty=5'
    """
    model = settings.get("models", {}).get("agent", {}).get("name", "")
    agent_settings = sorted(settings.get("agent_settings", {}).items())
    words = (f"{name}={Path(value).name or value}" for name, value in agent_settings)
    return " ".join([settings["agent"], *([re.split("[:/]", model)[-1]] if model else []), *words])


def distinct_names(
    names: Sequence[str], details: Sequence[Mapping[str, str]], always: Collection[str] = ()
) -> list[str]:
    """Adds to the names of runs the details in which they differ; numbers equal names.

    Args:
        names: a name for each run.
        details: the text of each setting of each run; "" where it does not apply.
        always: settings that are added even where runs agree.

    >>> distinct_names(["a", "a", "a"], [{"seed": "seed 1"}, {"seed": "seed 2"}, {"seed": ""}])
    ['a, seed 1', 'a, seed 2', 'a']
    """
    texts = {name: {run[name] for run in details} - {""} for name in (details or [{}])[0]}
    differ = [name for name, values in texts.items() if name in always or len(values) > 1]
    detailed = [
        ", ".join([name, *(run[setting] for setting in differ if run[setting])])
        for name, run in zip(names, details, strict=True)
    ]
    earlier = [detailed[:n].count(name) for n, name in enumerate(detailed)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(detailed, earlier, strict=True)]


def differences(runs: Sequence[Settings], ignored: Collection[str]) -> list[str]:
    """Describes for each run the settings in which the runs differ; "" if there are none.

    Settings that a run lacks, or that do not affect trials, are left out.

    >>> differences([{"seed": 0, "reset": "submit"}, {"seed": 1, "reset": "execute"}], ["seed"])
    ['reset submit', 'reset execute']
    """
    flat = [flattened(run) for run in runs]
    names = dict.fromkeys(name for run in flat for name in run)
    differ = [
        name
        for name in names
        if name.partition(".")[0] not in WITHOUT_EFFECT.union(ignored)
        and len({str(run[name]) for run in flat if name in run}) > 1
    ]
    return [
        ", ".join(f"{_words(name)} {run[name]}" for name in differ if name in run) for run in flat
    ]


def _words(name: str) -> str:
    return re.sub(r"[._]", " ", name.removeprefix("models."))


def file_name(name: str) -> str:
    """Turns a run's name into a file name.

    >>> file_name("tools gpt-5 c-Interact, patience 3")
    'tools-gpt-5-c-interact-patience-3'
    """
    return re.sub(r"[^\w.]+", "-", name).strip("-").lower()


def run_settings(folder: Path, benchmark: str) -> dict[str, Any]:
    """The settings of a run, with its options and models at the top.

    Raises:
        UserError: the folder is not a run of the benchmark.
    """
    described = read_settings(folder)
    chosen = described.pop("settings")
    if chosen["benchmark"] != benchmark:
        raise UserError(f"{folder} is a run of {chosen['benchmark']}; name one of {benchmark}.")
    return {**chosen, **chosen.pop("options"), **described}
