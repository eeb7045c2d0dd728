"""A hospital with notes, and sessions about its patients that pass the gates."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.hospitals import hospital_file
from wardround.authoring.assist.candidates.candidate_record import CandidateRecord, converted
from wardround.authoring.assist.candidates.prefilter import Candidate, candidates
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.slots import Progress, SlotFiller
from wardround.ehr.database import open_database

PATIENTS, SEED = 40, 3
# The rule, the last turn, the drug that the patient is asked about, and the tool of the order, of
# each session.
RULES = {
    "read": ("warfarin_aspirin", "DG", "", ""),
    "warfarin": ("warfarin_aspirin", "WU", "aspirin", "Flag.create"),
    "repeat": ("warfarin_aspirin", "WU", "", "ServiceRequest.create"),
}


@pytest.fixture(scope="session")
def noted_hospital() -> Path:
    """A hospital in MIMIC-IV's layout with discharge summaries."""
    return hospital_file("mimic_iv", PATIENTS, SEED, notes=True)


@pytest.fixture(scope="session")
def filler(noted_hospital: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlotFiller]:
    """The patients of a hospital whose records meet the rules."""
    record = tmp_path_factory.mktemp("record") / "record.fhir"
    with closing(open_database(str(noted_hospital))) as database:
        chosen = [
            each for each in candidates(database, 0) if each.subject_id in (10006412, 10017404)
        ]
        chart = converted(record, str(noted_hospital), chosen)
        yield SlotFiller(CandidateRecord(chart, database), chosen, 0, False, Progress())


@pytest.fixture(scope="session")
def sessions(filler: SlotFiller) -> Mapping[str, Session]:
    """A session about each rule that passes all gates."""
    return {name: next(_passing(filler, *wanted)) for name, wanted in RULES.items()}


def _passing(filler: SlotFiller, rule: str, last: str, drug: str, tool: str) -> Iterator[Session]:
    for number, cell in enumerate(cells("suite")):
        if cell.arc.count("CR") == 1 and cell.arc[-1] == last:
            for candidate in filler.candidates:
                session = _planned(filler, number, cell, candidate, rule)
                if not session or not _reasons(session, rule):
                    continue
                is_wanted = _asks(session, drug) and _writes(session, tool)
                if is_wanted and not list(filler._faults(session)):
                    yield session


def _planned(
    filler: SlotFiller, number: int, cell: Cell, candidate: Candidate, rule: str
) -> Session | None:
    """The session of a cell, planned as if the patient's record met one rule."""
    patient = filler.record.patient(candidate, candidate.discharge)
    only = [bound for bound in patient.rules if bound.rule.name == rule]
    return filler._planned(number, cell, replace(patient, rules=only), Random(0))


def _asks(session: Session, drug: str) -> bool:
    """True if the patient is asked about a drug; always for no drug."""
    return not drug or any(c.arguments.get("drug") == drug for c in session.patient_calls)


def _writes(session: Session, tool: str) -> bool:
    """True if the last turn writes with a tool; always for no tool."""
    return not tool or session.drafts[-1].write.tool == tool


def _reasons(session: Session, rule: str) -> bool:
    return any(d.type == "CR" and d.bound.rule.name == rule for d in session.drafts)
