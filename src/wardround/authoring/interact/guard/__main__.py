"""Writes the shipped guard set: `python -m wardround.authoring.interact.guard`."""

from pathlib import Path

from wardround.authoring.interact.guard.questions import guard_set
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.published import shipped_suite
from wardround.people.clarifying.guard import serialized

TARGET = Path(__file__).parent / "questions.jsonl"

if __name__ == "__main__":
    secrets = {task.id: secret_of(task, "") for task in shipped_suite().tasks}
    TARGET.write_text(serialized(guard_set(secrets)), encoding="utf-8")
