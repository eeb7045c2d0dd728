"""Writes PhysAssistBench's shipped suite: `python -m tools.suites.assist`, from the root.

The sessions are those of `wardround tasks make assist --discrepancies` on the suite's hospital. Its
patients are 290 of 2,600: those who had a session when the suite was first made of a shortlist, and
some with infections, critical results, rich records, many rules and fresh vital signs. Unlike
there, a storyline of a patient is told once in the whole suite, as long as other patients fill the
cells. In the end, the sessions that readers rejected (`assist_rejected.tsv`) are replaced, one
after another, so that all others stay as they were read.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from wardround.authoring.assist.candidates.candidate_record import CandidateRecord
from wardround.authoring.assist.candidates.prefilter import candidates
from wardround.authoring.assist.coverage import ScenarioSessions
from wardround.authoring.assist.filled_cells import fillers, filling_order
from wardround.authoring.assist.planning.cells import cells
from wardround.authoring.assist.progress import Filled, Told
from wardround.authoring.assist.session_lines import Line
from wardround.benchmarks.assist.sessions import SCENARIOS
from wardround.benchmarks.assist.suite.record import made_chart, made_database
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.packaged_data import read_rows
from wardround.ehr.database import open_database

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/assist/suite/suite.jsonl"
SEED = 0
# The sessions that readers rejected: the number of the session, its patient and what is wrong.
_REJECTED = "assist_rejected.tsv"


def rejected_sessions() -> list[tuple[int, int]]:
    """The cells whose sessions readers rejected, each with the patient, in the order of replacing.

    A replacement can be rejected too, so a cell may come again.
    """
    rows = read_rows(__package__, _REJECTED)
    return [(int(session) - 1, int(patient)) for session, patient, _ in rows]


def made_sessions() -> Iterator[tuple[int, Filled]]:
    """The sessions with the numbers of their cells, in the order in which these are filled.

    A later session of a cell replaces an earlier one. Of another scenario, a session depends on
    nothing but the storylines that were told, since none is told of a patient twice.
    """
    told: set[Told] = set()
    wanted = list(cells("suite"))
    with closing(open_database(made_database("suite"))) as database:
        record = CandidateRecord(made_chart("suite"), database)
        chosen = candidates(database, SEED)
        by_scenario = fillers(record, chosen, SEED, discrepancies=True)
        sessions = {each: ScenarioSessions(each, by_scenario[each], wanted) for each in SCENARIOS}
        for each in sessions.values():
            each.filler.progress.told = told
            yield from _filled(each)
        for number, patient in rejected_sessions():
            yield from _replaced(sessions[wanted[number].scenario], number, patient)


def _filled(sessions: ScenarioSessions) -> Iterator[tuple[int, Filled]]:
    for number in filling_order(sessions.cells):
        if sessions.cells[number].scenario == sessions.scenario:
            yield number, sessions.fill(number)
    yield from ((number, found) for number, _, found in sessions.fill_again())


def _replaced(
    sessions: ScenarioSessions, number: int, patient: int
) -> Iterator[tuple[int, Filled]]:
    rejected = sessions.filled[number].candidate
    if rejected is None or rejected.subject_id != patient:
        raise ValueError(
            f"Session {number + 1} is not about patient {patient}; remove it from {_REJECTED}."
        )
    yield from sessions.replace_rejected(number)


def without_tools(line: Line) -> Line:
    """A session without the tools, which are the same in all of them."""
    return {name: value for name, value in line.items() if name != "tools"}


def suite_bytes() -> bytes:
    """The suite's file: the last session of each cell, in the order of the cells."""
    lines = {place: without_tools(found.line) for place, found in made_sessions() if found.line}
    return json_lines(lines[place] for place in sorted(lines))


if __name__ == "__main__":
    SUITE.write_bytes(suite_bytes())
