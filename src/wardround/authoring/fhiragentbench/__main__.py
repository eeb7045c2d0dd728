"""Writes the shipped questions: `python -m wardround.authoring.fhiragentbench`."""

import csv
from contextlib import closing
from pathlib import Path

import duckdb

from wardround.authoring.fhiragentbench.questions import COLUMNS, made_questions
from wardround.benchmarks.fhiragentbench.suite.record import made_chart, make_hospital
from wardround.core.scratch_folder import ScratchFolder

SUITE = Path(__file__).parents[2] / "benchmarks/fhiragentbench/suite/questions.csv"


def main() -> None:
    """Makes two questions of each template."""
    with ScratchFolder() as scratch:
        path = scratch.path / "hospital.duckdb"
        make_hospital(path)
        with closing(duckdb.connect(str(path))) as hospital, closing(made_chart().workspace()) as s:
            rows = made_questions(hospital, s)
    with SUITE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
