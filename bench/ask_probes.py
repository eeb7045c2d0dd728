"""Scores `ask` on probes: questions about three synthetic hospitals with gold SQL.

Run as `python -m bench.ask_probes NAME [FOLDER]`, with `development`, `final`, `final_2` or
`final_3`; prints only the number of right, wrong and refused questions of each kind. The folder
caches the hospitals.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from rich.console import Console
from rich.table import Table

from tests.agents.parser.probes.hospitals import make_hospital
from tests.agents.parser.probes.test_probes import read_probes
from tests.hospitals import FOLDER
from wardround.agents.parser import train
from wardround.agents.parser.answer import Answer
from wardround.agents.parser.answers import Answerer
from wardround.authoring.ehrsql.pair_sources import made
from wardround.ehr.database import Cell, Database, open_database

OUTCOMES = ("right", "wrong", "refused")
MOST_ROWS = 1000


def main(name: str, folder: str = "") -> None:
    """Scores the probes of a file and prints a table."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ[FOLDER] = folder or temporary
        counts = Counter(score(read_probes(name)))
    table = Table("kind", "asked", *OUTCOMES, title=f"{name} probes")
    for kind in ("plain", "word", "unanswerable"):
        numbers = [counts[kind, outcome] for outcome in OUTCOMES]
        table.add_row(kind, str(sum(numbers)), *map(str, numbers))
    Console(width=80).print(table)


def score(probes: Iterable[dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Yields the kind and outcome of each probe."""
    probes = list(probes)
    for hospital in dict.fromkeys(probe["hospital"] for probe in probes):
        with closing(open_database(make_hospital(hospital))) as database:
            answerer = Answerer(train(made(database.url, 1), database), database)
            for probe in probes:
                if probe["hospital"] == hospital:
                    answer = answerer.answer(probe["question"])
                    yield probe["kind"], outcome(answer, probe["sql"], database)


def outcome(answer: Answer, sql: str, database: Database) -> str:
    """Grades an answer as "right", "wrong" or "refused"."""
    if answer.sql is None:
        return "refused"
    if sql == "refuse":
        return "wrong"
    return "right" if _rows(answer.sql, database) == _rows(sql, database) else "wrong"


def _rows(sql: str, database: Database) -> list[str]:
    rows: Sequence[Sequence[Cell]] = database.execute(sql, rows=MOST_ROWS).rows
    return sorted(str([_rounded(cell) for cell in row]) for row in rows)


def _rounded(cell: Cell) -> Cell | str:
    return f"{float(cell):.4f}" if isinstance(cell, int | float) else cell


if __name__ == "__main__":
    main(*sys.argv[1:])
