"""Sessions as published: the fields of a line (PhysAssistBench's data card)."""

from typing import Any, Literal

from pydantic import Field

from wardround.benchmarks.assist.tasks import Literacy, Source, Subtype, Workup
from wardround.benchmarks.kit.record_fields import Many, Named, Part, Record


class PublishedAction(Record):
    """A call."""

    name: Named
    arguments: Part[dict[str, Any]] = Field(default_factory=dict)


class PublishedStep(Record):
    """A gold call, or the gold answer, with its result."""

    action: PublishedAction
    observation: Any = None


class PublishedPersona(Record):
    """A patient's manner."""

    health_literacy: Literacy = "high"
    adherence: Literal["good", "uncertain", "poor"] = "good"
    anxiety_level: Literal["low", "medium", "high"] = "low"
    info_completeness: Literal["full", "partial", "critical_withheld"] = "full"


class PublishedSession(Record):
    """A session as published; `clock`, `checks` and `memory` are in sessions made here."""

    id: Named
    session_id: Named
    env_info: str = ""
    current_date: str = ""
    clock: str | None = None
    subject_id: int
    hadm_id: int | None = None
    clinical_scenario: str
    clinical_task_domain: str = ""
    difficulty_level: int = Field(ge=1, le=3)
    tasks: Many[str] = Field(default_factory=list)
    tasks_en: Many[str] = Field(default_factory=list)
    tasks_zh: Many[str] = Field(default_factory=list)
    tasks_explicit: Many[str] = Field(default_factory=list)
    tasks_en_explicit: Many[str] = Field(default_factory=list)
    tasks_zh_explicit: Many[str] = Field(default_factory=list)
    answer_list: list[list[PublishedStep]]
    answer_list_zh: list[list[PublishedStep]] | None = None
    task_types: list[str]
    turn_subtypes: Many[Subtype | None] = Field(default_factory=list)
    tool_sources: Many[Source | None] = Field(default_factory=list)
    workup_modes: Many[Workup | None] = Field(default_factory=list)
    rubrics: list[list[str]]
    rubrics_zh: Many[list[str]] = Field(default_factory=list)
    checks: Many[list[dict[str, Any] | None]] = Field(default_factory=list)
    persona_config: Part[PublishedPersona] = PublishedPersona()
    memory: dict[str, Any] | None = None
