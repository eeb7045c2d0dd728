"""A hospital with notes, and sessions about its patients that pass the gates."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from tests.authoring.assist.made_drafts import bound
from tests.hospitals import hospital_file
from wardround.authoring.assist.accounts import USUAL
from wardround.authoring.assist.candidates.candidate_record import CandidateRecord, converted
from wardround.authoring.assist.candidates.prefilter import candidates
from wardround.authoring.assist.facts.patients import patient_findings
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.authoring.assist.progress import Progress
from wardround.authoring.assist.session_lines import Session, facts_of, planned_session
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.sessions import Subtype, TaskType
from wardround.ehr.database import open_database

PATIENTS, SEED = 40, 3
PATIENT = 10017404  # takes warfarin and aspirin
# The turns of each session: type, form, the kinds of their findings with what they are about, and
# the tool of an order.
Turn: TypeAlias = tuple[TaskType, Subtype | None, Sequence[tuple[str, str]], str]
ASPIRIN, WARFARIN, HEMOGLOBIN = "aspirin", "warfarin", "hemoglobin"
SESSIONS: Mapping[str, Sequence[Turn]] = {
    "read": [
        ("IL", None, [("order", WARFARIN)], ""),
        ("DG", "PE", [("first_given", WARFARIN), ("lab_latest", HEMOGLOBIN)], ""),
        ("CR", "PE", [("adherence", ASPIRIN), ("order", ASPIRIN)], ""),
        ("DG", "AE", [("given", WARFARIN), ("given", ASPIRIN)], ""),
    ],
    "warfarin": [
        ("IL", None, [("order", ASPIRIN)], ""),
        ("IL", "NA", [("adherence", ASPIRIN)], ""),
        ("CR", "PE", [("lab_latest", HEMOGLOBIN), ("order", WARFARIN)], ""),
        ("WU", "AE", [], "Flag.create"),
    ],
    "repeat": [
        ("IL", None, [("adherence", ASPIRIN)], ""),
        ("DG", "NA", [("order", ASPIRIN), ("lab_first", HEMOGLOBIN)], ""),
        ("DG", "NA", [("lab_latest", HEMOGLOBIN), ("order", WARFARIN)], ""),
        ("WU", "PE", [], "ServiceRequest.create"),
    ],
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
            each for each in candidates(database, 0) if each.subject_id in (10077290, PATIENT)
        ]
        chart = converted(record, str(noted_hospital), chosen)
        yield SlotFiller(CandidateRecord(chart, database), chosen, 0, False, Progress())


@pytest.fixture(scope="session")
def sessions(filler: SlotFiller) -> Mapping[str, Session]:
    """Sessions of chosen turns that pass all gates."""
    made = {name: _session(filler, name, turns) for name, turns in SESSIONS.items()}
    for name, session in made.items():
        assert not list(filler._faults(session)), (name, list(filler._faults(session)))
    return made


def _session(filler: SlotFiller, name: str, turns: Sequence[Turn]) -> Session:
    """The session of some turns about a patient who takes warfarin and aspirin."""
    candidate = next(each for each in filler.candidates if each.subject_id == PATIENT)
    patient = filler.record.patient(candidate, candidate.discharge)
    rule = bound("warfarin_aspirin", WARFARIN, ASPIRIN)
    first, second, third, last = (type for type, *_ in turns)
    forms = tuple(form for _, form, *_ in turns[1:])
    cell = Cell("diagnostic_workup", 1, (first, second, third, last), forms)  # type: ignore[arg-type]
    memory = filler.accounts.drawn(cell, patient, Random(0), USUAL).memory
    findings = [*patient.findings, *patient_findings(memory)]
    history: tuple[Draft, ...] = ()
    for type, form, wanted, tool in turns:
        if tool:
            day = candidate.discharge.date()
            draft = next(order_drafts(form, history, [rule], day, [tool]))
        else:
            chosen = [each for each in findings if (each.kind, each.entity.name) in wanted]
            draft = next(drafts(type, form, history, chosen, [rule]))
        history = (*history, draft)
    survey = patient.survey
    facts = facts_of(survey, survey.desk.clock)
    return planned_session(name, cell, history, survey, memory, facts, Random(0))
