"""Writes the shipped suites: `python -m tools.suites.chatqa [NAME ...]`."""

import sys
from contextlib import closing
from pathlib import Path

from tools.suites.chatqa_tasks.definitions import make_suite, shipped_definitions
from tools.suites.chatqa_tasks.drawn_suites import make_drawn_suite
from wardround.benchmarks.chatqa.tasks import NEWEST
from wardround.ehr.database import open_database
from wardround.ehr.hospital import default_hospital

SUITES = Path(__file__).parents[2] / "src/wardround/benchmarks/chatqa/suite"
REGRESSION = "chatqa-regression"


def main(names: list[str]) -> None:
    """Makes suites on the default hospitals: those that are named, or all."""
    for name in names or [REGRESSION, NEWEST]:
        content = regression() if name == REGRESSION else make_drawn_suite(name)
        (SUITES / f"{name}.jsonl").write_bytes(content)


def regression() -> bytes:
    """The tasks that are written by hand."""
    with closing(open_database(default_hospital())) as database:
        return make_suite(shipped_definitions(), database)


if __name__ == "__main__":
    main(sys.argv[1:])
