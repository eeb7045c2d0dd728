"""Writes PhysAssistBench's shipped suite: `python -m tools.suites.assist`, from the root.

The sessions are those of `wardround tasks make assist --discrepancies` on the suite's hospital. Its
patients are 212 of 2,600: those who had a session when the suite was first made of a shortlist, and
some with infections, critical results, rich records and many rules. Cells that stay empty are tried
once more at the end, also with patients who have a session of the scenario already. One
session (discharge, the 85th) was filled again then until one read a report, which no other did.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from wardround.authoring.assist.candidates.candidate_record import CandidateRecord
from wardround.authoring.assist.candidates.prefilter import candidates
from wardround.authoring.assist.filled_cells import fillers, filling_order
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.session_lines import Line
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.suite.record import made_chart, made_database
from wardround.benchmarks.kit.published_files import json_lines
from wardround.ehr.database import open_database

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/assist/suite/suite.jsonl"
SEED = 0


def made_sessions() -> Iterator[tuple[int, Line]]:
    """The sessions with the numbers of their cells, in the order in which these are filled.

    The tools, which are the same in all of them, are left out.
    """
    wanted = list(cells("suite"))
    empty = []
    with closing(open_database(made_database("suite"))) as database:
        record = CandidateRecord(made_chart("suite"), database)
        makers = fillers(record, candidates(database, SEED), SEED, discrepancies=True)
        for place in filling_order(wanted):
            filled = makers[wanted[place].scenario].fill(place, wanted[place])
            if filled.line:
                yield place, _without_tools(filled.line)
            else:
                empty.append(place)
        for maker in makers.values():
            maker.widen()
        for place in empty:
            cell = wanted[place]
            yield place, _without_tools(_filled_again(makers[cell.scenario], place, cell))


def _filled_again(maker: SlotFiller, place: int, cell: Cell) -> Line:
    """The session of an empty cell, after as many patients as it takes."""
    tried: tuple[int, ...] = ()
    while True:
        filled = maker.fill(place, cell, tried)
        if filled.line:
            return filled.line
        if not filled.vain:
            raise LookupError(f"No patient supports the session {place}.")
        tried += filled.vain


def _without_tools(line: Line) -> Line:
    return {name: value for name, value in line.items() if name != "tools"}


if __name__ == "__main__":
    lines = dict(made_sessions())
    SUITE.write_bytes(json_lines(lines[place] for place in sorted(lines)))
