"""The example tasks of these tests and the questions about them."""

import json
import tomllib
from pathlib import Path
from typing import Any

from wardround.people.clarifying.model import Ambiguity, Secret

FIXTURES = Path(__file__).parent / "fixtures"


def secrets() -> dict[str, Secret]:
    """What the users of the example tasks know, by the tasks' names."""
    tasks = tomllib.loads((FIXTURES / "secrets.toml").read_text(encoding="utf-8"))
    return {name: _secret(task) for name, task in tasks.items()}


def questions(half: str) -> list[dict[str, str]]:
    """Questions with what they are about: of the "building" half or the "held_out" one."""
    text = (FIXTURES / f"questions_{half}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def cases(file: str) -> list[list[str]]:
    """The lines of a fixture file, field by field."""
    lines = (FIXTURES / file).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _secret(task: dict[str, Any]) -> Secret:
    ambiguities = tuple(
        Ambiguity(**{**one, "fragments": tuple(one["fragments"])}) for one in task["ambiguities"]
    )
    return Secret(task["request"], task["clear"], tuple(task["gold"]), ambiguities)
