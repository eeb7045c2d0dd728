"""Reads a run on disk as flat text; the only module that knows the format of runs.

A program with another format needs a second reader here that returns the same keys.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frozen.flat_text import BAR, Flat, plain, written

_UNSTABLE = {"seconds", "trajectory", "rejected", "task", "trial", "mac"}
_STAGES = {"stage_started", "stage_graded"}


def trial_lines(run: Path) -> list[bytes]:
    """Returns the complete lines of finished trials."""
    path = run / "trials.jsonl"
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return whole.splitlines()


def trial_name(line: bytes) -> str:
    """Returns TASK:NUMBER, the name of a trial in commands."""
    record = json.loads(line)
    return f"{record['task']}:{record['trial']}"


def run_texts(run: Path, places: dict[str, str]) -> Flat:
    """Returns records and events of all trials, with digests of tasks and databases."""
    texts = {f"run{BAR}{name}": text for name, text in _about(run).items()}
    for line in trial_lines(run):
        name = trial_name(line)
        texts |= {f"{name}{BAR}{key}": text for key, text in _trial(run, json.loads(line))}
    return {key: plain(text, places) for key, text in texts.items()}


def verdict_texts(content: str, places: dict[str, str]) -> Flat:
    """Returns the verdicts of a run's file by trial, item and source."""
    texts: Flat = {}
    for line in content.splitlines():
        record = json.loads(line)
        verdict = record["verdict"]
        about = f"{record['task']}:{record['trial']}", verdict.pop("item"), verdict.pop("source")
        # The key holds versions of prompts and programs.
        del verdict["key"]
        texts[BAR.join(about)] = plain(written(verdict), places)
    return texts


def outcomes(texts: Flat) -> dict[str, int]:
    """Counts trials by outcome."""
    counts: dict[str, int] = {}
    for key, text in texts.items():
        if key.endswith(f"{BAR}outcome"):
            counts[text] = counts.get(text, 0) + 1
    return counts


def _about(run: Path) -> dict[str, str]:
    """Digests of tasks and databases; settings are left out, as their format changes."""
    content = json.loads((run / "run.json").read_bytes())
    tasks = {f"tasks {name}": written(value) for name, value in content["tasks"].items()}
    databases = {f"database {name}": text for name, text in content["databases"].items()}
    return tasks | databases


def _trial(run: Path, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if name not in _UNSTABLE:
            yield name, written(_without_seconds(value))
    yield from _events(run, record["trajectory"], "event")
    for number, attempt in enumerate(record["rejected"]):
        yield f"rejected {number}", attempt["reason"]
        yield from _events(run, attempt["trajectory"], f"rejected {number} event")


def _events(run: Path, place: dict[str, int], label: str) -> Iterator[tuple[str, str]]:
    with (run / "trajectories.jsonl").open("rb") as file:
        file.seek(place["offset"])
        events = json.loads(file.read(place["length"]))["events"]
    shown = [event for event in events if not _marks_stage(event)]
    for number, event in enumerate(shown):
        yield f"{label} {number:04}", _event(_without_seconds(event))
    stages = [event for event in events if event["kind"] in _STAGES]
    for number, event in enumerate(stages):
        yield f"{label}s of stages {number:04}", _event(_without_seconds(event))


def _marks_stage(event: dict[str, Any]) -> bool:
    """True if the event marks a stage: an event of its own now, a note in earlier programs."""
    return event["kind"] in _STAGES or event.get("subject") == "submission"


def _event(event: dict[str, Any]) -> str:
    """Formats an event with its kind and subject first."""
    kind = event.pop("kind")
    text = event.pop("text", None)
    heads = [str(event.pop(name)) for name in ("speaker", "tool", "subject") if name in event]
    shown = text if text is not None else written(event)
    return " ".join([kind, *heads]) + f": {shown}"


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_seconds(v) for k, v in value.items() if k != "seconds"}
    return value
