"""`python -m wardround.authoring.interact.guard` writes the shipped guard set again."""

from pathlib import Path

from wardround.authoring.interact.guard.build import guard_set
from wardround.authoring.interact.guard.model import written
from wardround.benchmarks.interact.files import shipped_suite
from wardround.benchmarks.interact.people import secret_of

TARGET = Path(__file__).parent / "questions.jsonl"

if __name__ == "__main__":
    secrets = {task.id: secret_of(task, "") for task in shipped_suite().tasks}
    TARGET.write_text(written(guard_set(secrets)), encoding="utf-8")
