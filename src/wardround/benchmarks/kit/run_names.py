"""Names of runs that stand side by side in tables, figures and files."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any


def system(settings: Mapping[str, Any]) -> str:
    """The agent, with its model where one is named.

    >>> system({"agent": "tools", "models": {"agent": {"name": "openai:gpt-5"}}})
    'tools gpt-5'
    """
    model = settings.get("models", {}).get("agent", {}).get("name", "")
    return " ".join([settings["agent"], *([re.split("[:/]", model)[-1]] if model else [])])


def distinct_names(
    names: Sequence[str], details: Sequence[Mapping[str, str]], always: Collection[str] = ()
) -> list[str]:
    """Names of runs with the details in which they differ, numbered where they are still equal.

    Args:
        names: a name for each run.
        details: words for each setting of each run; "" where it does not apply.
        always: settings that are part of a name even where runs agree.

    >>> distinct_names(["a", "a", "a"], [{"seed": "seed 1"}, {"seed": "seed 2"}, {"seed": ""}])
    ['a, seed 1', 'a, seed 2', 'a']
    """
    words = {name: {run[name] for run in details} - {""} for name in (details or [{}])[0]}
    differ = [name for name, found in words.items() if name in always or len(found) > 1]
    whole = [
        ", ".join([name, *(run[setting] for setting in differ if run[setting])])
        for name, run in zip(names, details, strict=True)
    ]
    earlier = [whole[:n].count(name) for n, name in enumerate(whole)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(whole, earlier, strict=True)]


def file_name(name: str) -> str:
    """A run's name as a file's.

    >>> file_name("tools gpt-5 c-Interact, patience 3")
    'tools-gpt-5-c-interact-patience-3'
    """
    return re.sub(r"[^\w.]+", "-", name).strip("-").lower()
