"""Sessions, PhysAssistBench's tasks: four turns with gold calls, answers and rubrics.

Source: PhysAssistBench, section 3.2 (sessions and turns) and 3.3 (rubrics).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from wardround.core.task import Task

Language: TypeAlias = Literal["en", "zh"]
TaskType: TypeAlias = Literal["IL", "DG", "CR", "WU"]
Subtype: TypeAlias = Literal["NA", "PE", "AE"]
Source: TypeAlias = Literal["ehr", "patient", "mixed", "write"]
Workup: TypeAlias = Literal["parallel", "adaptive", "single"]
Scenario: TypeAlias = Literal[
    "diagnostic_workup", "med_safety", "treatment_response", "discharge_planning"
]
Literacy: TypeAlias = Literal["high", "medium", "low"]

LANGUAGES: tuple[Language, ...] = get_args(Language)
LITERACIES: tuple[Literacy, ...] = get_args(Literacy)
SCENARIOS: tuple[Scenario, ...] = get_args(Scenario)
TASK_TYPES: dict[TaskType, str] = {
    "IL": "Information Lookup",
    "DG": "Data Gathering",
    "CR": "Clinical Reasoning",
    "WU": "Write/Update",
}
TURNS = 4
PREPARE = "prepare_to_answer"
WRITES = ("MedicationRequest.create", "ServiceRequest.create", "Flag.create")


@dataclass(frozen=True, slots=True)
class Persona:
    """The manner in which a patient speaks."""

    health_literacy: Literacy = "high"
    adherence: Literal["good", "uncertain", "poor"] = "good"
    anxiety_level: Literal["low", "medium", "high"] = "low"
    info_completeness: Literal["full", "partial", "critical_withheld"] = "full"


@dataclass(frozen=True, slots=True)
class PatientAnswer:
    """A recorded answer of the patient.

    Attributes:
        tool: the patient tool that was called.
        arguments: its arguments.
        texts: the answer by language and literacy.
    """

    tool: str
    arguments: Mapping[str, Any]
    texts: Mapping[Language, Mapping[Literacy, str]]


@dataclass(frozen=True, slots=True)
class GoldCall:
    """A call of the gold, with its recorded result by language."""

    tool: str
    arguments: Mapping[str, Any]
    observations: Mapping[Language, Any]

    @property
    def writes(self) -> bool:
        """True if it writes to the record."""
        return self.tool in WRITES

    @property
    def reads(self) -> bool:
        """True if it reads the record."""
        return not self.writes and not self.tool.startswith("patient.") and self.tool != PREPARE


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """The gold of a turn.

    Attributes:
        type: the type of task.
        subtype: the way in which its question is implicit; None in the first turn.
        source: where the answer is found.
        workup: the pattern of gathering data.
        calls: the gold calls, without the control tool.
        answers: the gold answer by language.
        rubric: the items by language, in the same order.
        checks: stored checks of the items as JSON, None for an item without one.
    """

    type: TaskType
    subtype: Subtype | None
    source: Source
    workup: Workup | None
    calls: tuple[GoldCall, ...]
    answers: Mapping[Language, str]
    rubric: Mapping[Language, tuple[str, ...]]
    checks: tuple[Mapping[str, Any] | None, ...] = ()

    @property
    def asks_patient(self) -> bool:
        """True if its answer needs the patient."""
        return self.source in ("patient", "mixed")

    @property
    def writes(self) -> bool:
        """True if it ends in an order."""
        return self.type == "WU"


@dataclass(frozen=True, slots=True)
class SessionPublic:
    """The part of a session that the agent hears, turn by turn.

    Attributes:
        opening: the date, and the patient's age and sex.
        questions: the implicit questions by language.
        explicit: the explicit questions by language.
    """

    opening: str
    questions: Mapping[Language, tuple[str, ...]]
    explicit: Mapping[Language, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SessionGold:
    """The part of a session that only its environment and graders know.

    Attributes:
        session: the published session id, which patient tools take.
        subject: the patient's subject_id.
        admission: the hadm_id; None if the session is about no single one.
        clock: an instant with its zone, or a published date.
        turns: the four turns.
        persona: the patient's manner.
        memory: the patient's memory as JSON; None if it is not published.
        patient_answers: the recorded answers, in order.
        labels: further published fields that tables group by.
    """

    session: str
    subject: int
    admission: int | None
    clock: str
    turns: tuple[GoldTurn, ...]
    persona: Persona = Persona()
    memory: Mapping[str, Any] | None = None
    patient_answers: tuple[PatientAnswer, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)


Session: TypeAlias = Task[SessionPublic, SessionGold]


def item_name(turn: int, item: int) -> str:
    """The name of a rubric item in verdicts.

    >>> item_name(2, 3)
    'turn2:3'
    """
    return f"turn{turn}:{item}"


def stage_name(turn: int) -> str:
    """The name of a turn as a stage.

    >>> stage_name(0)
    'turn0'
    """
    return f"turn{turn}"


def items_of(session: Session) -> Iterator[tuple[int, int]]:
    """The turn and number of each rubric item."""
    for turn, gold in enumerate(session.hidden.turns):
        for item in range(len(gold.rubric["en"])):
            yield turn, item


def arc(turns: tuple[GoldTurn, ...]) -> str:
    """The types of a session's turns, such as "IL-DG-CR-WU"."""
    return "-".join(turn.type for turn in turns)
