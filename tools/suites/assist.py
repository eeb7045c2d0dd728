"""Writes PhysAssistBench's shipped suite: `python -m tools.suites.assist`, from the root.

The sessions are those of `wardround tasks make assist --discrepancies` on the suite's hospital. Its
patients are 87 of 2,600: those who had a session when the suite was first made of a shortlist, and
some with rich records and many rules.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from wardround.authoring.assist.candidates.candidate_record import CandidateRecord
from wardround.authoring.assist.candidates.prefilter import candidates
from wardround.authoring.assist.filled_cells import fillers, filling_order
from wardround.authoring.assist.planning.cells import cells
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.suite.record import made_chart, made_database
from wardround.benchmarks.assist.tasks import SCENARIOS, Scenario
from wardround.benchmarks.kit.published_files import json_lines
from wardround.ehr.database import Database, open_database

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/assist/suite/suite.jsonl"
# The seed of each scenario: with these every tool of the paper's Table D5 is used.
SEEDS: Mapping[Scenario, int] = {
    "diagnostic_workup": 1,
    "med_safety": 0,
    "treatment_response": 1,
    "discharge_planning": 2,
}


def made_sessions() -> Iterator[tuple[int, dict[str, Any]]]:
    """The sessions with the numbers of their cells, in the order in which these are filled.

    The tools, which are the same in all of them, are left out.
    """
    wanted = list(cells("suite"))
    with closing(open_database(made_database("suite"))) as database:
        record = CandidateRecord(made_chart("suite"), database)
        makers = {each: _filler(record, database, each) for each in SCENARIOS}
        for place in filling_order(wanted):
            line = makers[wanted[place].scenario].fill(place, wanted[place]).line
            if line is None:
                raise LookupError(f"No patient supports the session {place}.")
            yield place, {name: value for name, value in line.items() if name != "tools"}


def _filler(record: CandidateRecord, database: Database, scenario: Scenario) -> SlotFiller:
    """A filler for a scenario, with the scenario's seed."""
    seed = SEEDS[scenario]
    return fillers(record, candidates(database, seed), seed, discrepancies=True)[scenario]


if __name__ == "__main__":
    lines = dict(made_sessions())
    SUITE.write_bytes(json_lines(lines[place] for place in sorted(lines)))
