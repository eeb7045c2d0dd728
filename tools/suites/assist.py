"""Writes PhysAssistBench's shipped suite: `python -m tools.suites.assist [FOLDER]`, from the root.

With a folder, its sessions say which patient each session is about: `wardround tasks make assist
--discrepancies` made them on a whole hospital, by `wardround data hospital --notes` with the seed
and number of patients below. Without a folder the patients are those of the shipped suite. The
sessions are made again on a hospital of these patients only, whose rows have numbers of their own.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from wardround.authoring.assist.candidate_record import CandidateRecord
from wardround.authoring.assist.cells import cells
from wardround.authoring.assist.prefilter import candidates
from wardround.authoring.assist.slots import Progress, SlotFiller
from wardround.authoring.assist.work import filling_order
from wardround.benchmarks.assist.published.session_files import load_sessions, shipped_sessions
from wardround.benchmarks.assist.suite.record import hospital, made_chart, made_database
from wardround.benchmarks.assist.tasks import Session
from wardround.benchmarks.kit.published_files import json_lines
from wardround.ehr.database import open_database
from wardround.ehr.hospital.people import person

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/assist/suite"
SEED, PATIENTS = 15, 1_200
MAKING_SEED = 0  # of `wardround tasks make assist`
_HOSPITAL = """\
# The hospital of the shipped sessions; its patients are those that the sessions are about.
seed = {seed}
# The indices of the patients in the hospital of this seed.
people = [
    {people},
]
"""


def made_sessions(subjects: Mapping[int, int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The sessions with the numbers of their cells, in the order in which cells are filled.

    Args:
        subjects: the patient of each cell.
    """
    wanted = list(cells("suite"))
    with closing(open_database(made_database())) as database:
        known = {each.subject_id: each for each in candidates(database, MAKING_SEED)}
        record, progress = CandidateRecord(made_chart(), database), Progress()
        for place in filling_order(wanted):
            chosen = [known[subjects[place]]]
            filler = SlotFiller(record, chosen, MAKING_SEED, discrepancies=True, progress=progress)
            line = filler.fill(place, wanted[place]).line
            if line is None:
                raise LookupError(f"Patient {subjects[place]} supports no session {place}.")
            yield place, {name: value for name, value in line.items() if name != "tools"}


def subjects_of(sessions: Iterable[Session]) -> dict[int, int]:
    """The patient of each cell."""
    return {_place(each.hidden.session): each.hidden.subject for each in sessions}


def _place(name: str) -> int:
    return int(name.rpartition("_")[2]) - 1


def _write_hospital(subjects: Iterable[int]) -> None:
    hand_written = {each.hidden.subject for each in shipped_sessions("hand_written").tasks}
    wanted = {*subjects, *hand_written}
    found = [n for n in range(PATIENTS) if person(SEED, n).subject_id in wanted]
    rows = [", ".join(map(str, found[n : n + 20])) for n in range(0, len(found), 20)]
    text = _HOSPITAL.format(seed=SEED, people=",\n    ".join(rows))
    (SUITE / "hospital.toml").write_text(text, encoding="utf-8")
    hospital.cache_clear()


def write_suite(folder: Path | None) -> None:
    """Writes the suite, and the people of its hospital if a folder says who they are."""
    suite = load_sessions(folder) if folder else shipped_sessions()
    subjects = subjects_of(suite.tasks)
    if folder:
        _write_hospital(subjects.values())
    lines = dict(made_sessions(subjects))
    (SUITE / "suite.jsonl").write_bytes(json_lines(lines[place] for place in sorted(lines)))


if __name__ == "__main__":
    write_suite(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
