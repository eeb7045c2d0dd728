"""`python -m wardround.authoring.interact.shipped` writes the shipped task file again."""

from pathlib import Path

from wardround.authoring.interact.shipped.make import made_tasks
from wardround.authoring.interact.task_writer import dump_tasks

TARGET = Path(__file__).parents[3] / "benchmarks/interact/suite/tasks.jsonl"

if __name__ == "__main__":
    TARGET.write_bytes(dump_tasks(made_tasks()))
