"""Writes the shipped suite: `python tools/suites/chatqa.py`."""

from pathlib import Path

from wardround.authoring.chatqa.definitions import make_suite, shipped_definitions
from wardround.ehr.database import open_database
from wardround.ehr.hospital import default_hospital

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/chatqa/suite/tasks.jsonl"


def main() -> None:
    """Makes all tasks on the default hospital."""
    database = open_database(default_hospital())
    try:
        SUITE.write_bytes(make_suite(shipped_definitions(), database))
    finally:
        database.close()


if __name__ == "__main__":
    main()
