"""Writes the shipped suite: `python -m wardround.benchmarks.chatqa.build`."""

from pathlib import Path

from wardround.benchmarks.chatqa.build.definitions import shipped_definitions
from wardround.benchmarks.chatqa.build.make import make_suite
from wardround.ehr.database import open_database
from wardround.ehr.hospital import default_hospital

SUITE = Path(__file__).parents[1] / "suite" / "tasks.jsonl"


def main() -> None:
    """Makes every task anew on the default hospital."""
    database = open_database(default_hospital())
    try:
        SUITE.write_bytes(make_suite(shipped_definitions(), database))
    finally:
        database.close()


if __name__ == "__main__":
    main()
