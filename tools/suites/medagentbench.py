"""Writes the shipped suite: `python -m tools.suites.medagentbench`."""

from contextlib import closing
from pathlib import Path

import orjson

from tools.suites.medagentbench_instructions import make_tasks
from wardround.benchmarks.medagentbench.suite.record import made_chart

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/medagentbench/suite/tasks.json"


def main() -> None:
    """Makes three tasks of each type."""
    with closing(made_chart().workspace()) as server:
        SUITE.write_bytes(orjson.dumps(make_tasks(server), option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
