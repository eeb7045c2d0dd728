"""Writes the shipped tasks and guard set: `python -m tools.suites.interact`."""

from pathlib import Path

from tools.suites.interact_tasks.definitions import made_tasks
from wardround.authoring.interact.guard.accuracy import guard_set
from wardround.authoring.interact.task_writer import dump_tasks
from wardround.benchmarks.interact.people import secret_of
from wardround.people.clarifying.guard import serialized

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/interact/suite/tasks.jsonl"
GUARD_SET = SUITE.parents[3] / "authoring/interact/guard/questions.jsonl"


def main() -> None:
    """Makes the tasks from their definitions, and the guard questions from the tasks."""
    tasks = made_tasks()
    SUITE.write_bytes(dump_tasks(tasks))
    questions = guard_set({task.id: secret_of(task, "") for task in tasks})
    GUARD_SET.write_text(serialized(questions), encoding="utf-8")


if __name__ == "__main__":
    main()
