"""A run on disk as flat text: the one place that knows how runs are written.

A program that writes them otherwise gets a second reader here, which gives the same keys.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.frozen.flat_text import BAR, Flat, plain, written

_UNSTABLE = {"seconds", "trajectory", "rejected", "task", "trial"}
_STAGES = {"stage_started", "stage_graded"}


def trial_lines(run: Path) -> list[bytes]:
    """The lines of finished trials that have their end."""
    path = run / "trials.jsonl"
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return whole.splitlines()


def trial_name(line: bytes) -> str:
    """TASK:NUMBER, as commands take it."""
    record = json.loads(line)
    return f"{record['task']}:{record['trial']}"


def run_texts(run: Path, places: dict[str, str]) -> Flat:
    """Records and events of all trials, and what they were about."""
    found = {f"run{BAR}{name}": text for name, text in _about(run).items()}
    for line in trial_lines(run):
        name = trial_name(line)
        found |= {f"{name}{BAR}{key}": text for key, text in _trial(run, json.loads(line))}
    return {key: plain(text, places) for key, text in found.items()}


def outcomes(found: Flat) -> dict[str, int]:
    """Counts of trials by outcome."""
    counted: dict[str, int] = {}
    for key, text in found.items():
        if key.endswith(f"{BAR}outcome"):
            counted[text] = counted.get(text, 0) + 1
    return counted


def _about(run: Path) -> dict[str, str]:
    """Tasks and databases by their digests; settings change their form and are left out."""
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
    """True if the event marks a stage: its own event now, a note before."""
    return event["kind"] in _STAGES or event.get("subject") == "submission"


def _event(event: dict[str, Any]) -> str:
    """The event with its kind and who or what it is about in front."""
    kind = event.pop("kind")
    text = event.pop("text", None)
    heads = [str(event.pop(name)) for name in ("speaker", "tool", "subject") if name in event]
    shown = text if text is not None else written(event)
    return " ".join([kind, *heads]) + f": {shown}"


def _without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_seconds(v) for k, v in value.items() if k != "seconds"}
    return value
