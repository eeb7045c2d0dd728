"""Writes the shipped suite: `python -m tools.suites.fhiragentbench`."""

from contextlib import closing
from pathlib import Path

import duckdb

from tools.suites.fhiragentbench_questions import make_questions
from wardround.benchmarks.fhiragentbench.suite.record import hospital, made_chart

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/fhiragentbench/suite/questions.csv"


def main() -> None:
    """Makes 40 questions."""
    with (
        closing(made_chart().workspace()) as server,
        duckdb.connect(str(hospital()), read_only=True) as records,
    ):
        SUITE.write_text(make_questions(records, server), encoding="utf-8")


if __name__ == "__main__":
    main()
