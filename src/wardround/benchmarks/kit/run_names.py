"""Names that tell runs apart in tables, figures and files."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from wardround.core.run_reader import WITHOUT_EFFECT
from wardround.core.serialization import flattened


def system(settings: Mapping[str, Any]) -> str:
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


def differences(runs: Sequence[Mapping[str, Any]], ignored: Collection[str]) -> list[str]:
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
