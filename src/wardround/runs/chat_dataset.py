"""A run's trajectories as a dataset of chats, in the layout that Hugging Face `datasets` reads."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from wardround.core import plugins
from wardround.core.benchmark import Benchmark, TrialContext
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.task import Briefing, Chosen
from wardround.core.trajectory import Called, Event, Returned, Said, StageStarted, Trajectory
from wardround.runs.components import open_without_models
from wardround.runs.open_run import settings_of
from wardround.runs.settings import RunSettings

CHATS, CARD = "data/train.jsonl", "README.md"


def write_chat_dataset(folder: Path, to: Path) -> int:
    """Writes the trials that count, each as a chat with its reward, beside a data card.

    A line has `messages` and `tools` in the form of OpenAI's chat completions, the instructions of
    the agent first.

    Args:
        folder: the run; its databases have to be there, for the agent's instructions and tools.
        to: the dataset's folder, which does not exist yet.

    Returns:
        The number of trials.

    Raises:
        UserError: the run has no trial that counts, or something of it cannot be opened.
    """
    settings = settings_of(folder)
    if to.exists():
        raise UserError(f"{to} exists already; name a new folder.")
    trials = [trial for trial in read_trials(folder) if trial.outcome.scored]
    if not trials:
        raise UserError(f"{folder} has no trial that counts, so there is nothing to learn from.")
    briefings = _briefings(settings, {trial.task for trial in trials})
    lines = (_chat(folder, trial, briefings[trial.task]) for trial in trials)
    make_folder(to)
    make_folder(to / "data")
    write_whole(to / CHATS, b"".join(orjson.dumps(line) + b"\n" for line in lines))
    write_whole(to / CARD, data_card(settings, len(trials)).encode())
    return len(trials)


def _briefings(settings: RunSettings, ids: set[str]) -> dict[str, Briefing]:
    benchmark = open_without_models(settings)
    try:
        tasks = benchmark.load(settings.tasks, Chosen(tuple(sorted(ids)))).tasks
        if missing := ids - {task.id for task in tasks}:
            raise UserError(f"The run's tasks have no {min(missing)!r} any more.")
        return asyncio.run(_all_briefings(benchmark, settings, tasks))
    finally:
        benchmark.close()


async def _all_briefings(
    benchmark: Benchmark, settings: RunSettings, tasks: Iterable[Any]
) -> dict[str, Briefing]:
    briefings = {}
    for task in tasks:
        context = TrialContext(0, settings.limits, Trajectory())
        environment = await benchmark.environment(task, context)
        briefings[task.id] = environment.briefing
        await environment.close()
    return briefings


def _chat(folder: Path, trial: TrialRecord, briefing: Briefing) -> dict[str, Any]:
    events = read_trajectory(folder, trial.trajectory).events
    return {
        "task": trial.task,
        "trial": trial.trial,
        "messages": [{"role": "system", "content": briefing.rules}, *chat_messages(events)],
        "tools": [{"type": "function", "function": tool.as_json()} for tool in briefing.tools],
        "reward": next(iter(trial.scores.values())),
        "passed": trial.outcome == "passed",
    }


def chat_messages(events: Iterable[Event]) -> Iterator[Mapping[str, Any]]:
    """The conversation of a trial as messages of OpenAI's chat completions."""
    call = 0
    for event in events:
        match event:
            case Said("agent", text):
                yield {"role": "assistant", "content": text}
            case Said(_, text) | StageStarted(_, text):
                yield {"role": "user", "content": text}
            case Called(tool, arguments):
                call += 1
                function = {"name": tool, "arguments": orjson.dumps(dict(arguments)).decode()}
                made = {"id": f"call-{call}", "type": "function", "function": function}
                yield {"role": "assistant", "content": None, "tool_calls": [made]}
            case Returned(_, text):
                yield {"role": "tool", "tool_call_id": f"call-{call}", "content": text}


def data_card(settings: RunSettings, count: int) -> str:
    """The data card, which says whose values the chats may hold."""
    files = [value for value in dict(settings.options).values() if isinstance(value, Path)]
    is_shipped = plugins.is_own(plugins.BENCHMARKS, settings.benchmark)
    if is_shipped and not settings.databases and settings.tasks is None and not files:
        values = "The messages quote made records that come with wardround, and no real patient."
    else:
        named = ", ".join(sorted(settings.databases)) or f"of {settings.benchmark} or its options"
        values = (
            f"The messages quote the records {named}. **If these are of real patients, so are the "
            "values here: do not share this folder.**"
        )
    return f"""---
configs:
- config_name: default
  data_files:
  - split: train
    path: {CHATS}
tags: [wardround]
---

# Trials of {settings.benchmark}

{count} trials of the agent {settings.agent} at {settings.benchmark} (wardround), each a chat:
`messages` and `tools` in the form of OpenAI's chat completions, `reward` (0 to 1, by the grading
{settings.grading or "of the benchmark"}) and `passed`. Trials that do not count are left out.

## Patients' values

{values}
"""
