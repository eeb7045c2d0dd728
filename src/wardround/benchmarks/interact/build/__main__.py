"""`python -m wardround.benchmarks.interact.build` writes the shipped task file again."""

from pathlib import Path

from wardround.benchmarks.interact.build.make import made_tasks
from wardround.benchmarks.interact.files import dump_tasks

TARGET = Path(__file__).parents[1] / "suite" / "tasks.jsonl"

if __name__ == "__main__":
    TARGET.write_bytes(dump_tasks(made_tasks()))
