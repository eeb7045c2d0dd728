"""Writes PhysAssistBench's shipped suite: `python -m tools.suites.assist`, from the root.

The sessions are those of `wardround tasks make assist --discrepancies` on the suite's hospital. Its
patients are 212 of 2,600: those who had a session when the suite was first made of a shortlist, and
some with infections, critical results, rich records and many rules. Unlike there, a storyline of a
patient is told once in the whole suite, as long as other patients fill the cells.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from wardround.authoring.assist.candidates.candidate_record import CandidateRecord
from wardround.authoring.assist.candidates.prefilter import Candidate, candidates
from wardround.authoring.assist.coverage import ScenarioSessions
from wardround.authoring.assist.filled_cells import fillers, filling_order
from wardround.authoring.assist.planning.cells import cells
from wardround.authoring.assist.progress import Filled, Told
from wardround.authoring.assist.session_lines import Line
from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario
from wardround.benchmarks.assist.suite.record import made_chart, made_database
from wardround.benchmarks.kit.published_files import json_lines
from wardround.ehr.database import open_database

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/assist/suite/suite.jsonl"
SEED = 0


def made_sessions(scenarios: Sequence[Scenario] = SCENARIOS) -> Iterator[tuple[int, Filled]]:
    """The sessions with the numbers of their cells, in the order in which these are filled.

    A later session of a cell replaces an earlier one. Of another scenario, a session depends on
    nothing but the storylines that were told, since none is told of a patient twice.
    """
    told: set[Told] = set()
    with closing(open_database(made_database("suite"))) as database:
        record = CandidateRecord(made_chart("suite"), database)
        chosen = candidates(database, SEED)
        for scenario in scenarios:
            yield from _of_scenario(scenario, record, chosen, told)


def _of_scenario(
    scenario: Scenario, record: CandidateRecord, chosen: Sequence[Candidate], told: set[Told]
) -> Iterator[tuple[int, Filled]]:
    wanted = list(cells("suite"))
    filler = fillers(record, chosen, SEED, discrepancies=True)[scenario]
    filler.progress.told = told
    sessions = ScenarioSessions(scenario, filler, wanted)
    for place in filling_order(wanted):
        if wanted[place].scenario == scenario:
            yield place, sessions.fill(place)
    yield from ((place, found) for place, _, found in sessions.fill_again())


def without_tools(line: Line) -> Line:
    """A session without the tools, which are the same in all of them."""
    return {name: value for name, value in line.items() if name != "tools"}


def suite_bytes() -> bytes:
    """The suite's file: the last session of each cell, in the order of the cells."""
    lines = {place: without_tools(found.line) for place, found in made_sessions() if found.line}
    return json_lines(lines[place] for place in sorted(lines))


if __name__ == "__main__":
    SUITE.write_bytes(suite_bytes())
