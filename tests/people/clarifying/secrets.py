"""The example tasks of these tests and the questions about them."""

import json
import tomllib
from pathlib import Path
from typing import Any

from wardround.people.clarifying.secret import Ambiguity, Secret

FIXTURES = Path(__file__).parent / "fixtures"


def secrets() -> dict[str, Secret]:
    """Secrets of the example tasks, by name."""
    tasks = tomllib.loads((FIXTURES / "secrets.toml").read_text(encoding="utf-8"))
    return {name: _secret(task) for name, task in tasks.items()}


def questions(half: str) -> list[dict[str, str]]:
    """Labelled questions of the "building" or "held_out" half."""
    text = (FIXTURES / f"questions_{half}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def cases(file: str) -> list[list[str]]:
    """The lines of a fixture file, field by field."""
    lines = (FIXTURES / file).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _secret(task: dict[str, Any]) -> Secret:
    ambiguities = tuple(
        Ambiguity(**{**fragment, "fragments": tuple(fragment["fragments"])})
        for fragment in task["ambiguities"]
    )
    return Secret(task["request"], task["clear"], tuple(task["gold"]), ambiguities)
