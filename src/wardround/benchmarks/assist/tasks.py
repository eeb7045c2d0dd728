"""PhysAssistBench's tasks, read as published: JSON Lines, a file for each scenario or for all."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from wardround.benchmarks.assist.declaration import Shipped
from wardround.benchmarks.assist.sessions import (
    LITERACIES,
    PREPARE,
    SCENARIOS,
    TASK_TYPES,
    TURNS,
    GoldCall,
    GoldTurn,
    Language,
    Literacy,
    PatientAnswer,
    Persona,
    Session,
    SessionGold,
    SessionPublic,
    Source,
    Subtype,
    TaskType,
    Workup,
    arc,
)
from wardround.benchmarks.assist.tools.catalogue import catalogue
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    validated,
    with_tasks,
)
from wardround.benchmarks.kit.record_fields import Many, Named, Part, Record
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.task import Defect, Suite, Task

_SUITE = "wardround.benchmarks.assist.suite"
_SOURCES: Mapping[Shipped, str] = {
    "suite": "the shipped suite",
    "hand_written": "the hand-written sessions",
}
_TYPES: dict[str, TaskType] = {name: short for short, name in TASK_TYPES.items()}
_ANSWER, _VARIANTS = "patient_response", "patient_responses_all_literacy"
_PUBLISHED = "physassistbench_"
CREDENTIALED = (
    "These sessions were made of credentialed patient notes (PhysioNet): their data use agreement "
    "holds for this run, its trajectories and its reports."
)
_CJK = re.compile(r"[\u4e00-\u9fff]")


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


def load_tasks(source: Path) -> Suite:
    """Reads a published file, or a folder of them.

    Raises:
        UserError: there is no such place, or it holds no session that can be read.
    """
    suite = with_tasks(suite_of(_records(source), read_session, str(source)), source)
    published = any(is_published(task.id) for task in suite.tasks)
    return replace(suite, terms=CREDENTIALED if published else "")


def is_published(id: str) -> bool:
    """True for the id of a session of the published suite."""
    return id.startswith(_PUBLISHED)


def shipped_tasks(name: Shipped = "suite") -> Suite:
    """The sessions on the made record: the suite, or the hand-written ones."""
    return suite_of(_shipped_records(name), read_session, _SOURCES[name])


def session_lines(source: Path | Shipped) -> Iterator[dict[str, Any]]:
    """The sessions of a file or folder as they are written, or shipped ones.

    The file of the suite leaves out the tools, which are the same in every session.

    Raises:
        UserError: a line cannot be read.
    """
    added = {} if isinstance(source, Path) else {"tools": tool_functions()}
    for record in _records(source) if isinstance(source, Path) else _shipped_records(source):
        if isinstance(record, Defect):
            raise UserError(f"{record.where} is not a session: {record.reason}.")
        yield {**record.content, **added}


def _records(source: Path) -> list[FileRecord | Defect]:
    files = _files(source) if source.is_dir() else [source]
    return [record for path in files for record in parse_records(read_file(path), path.name)]


def _shipped_records(name: Shipped) -> Iterable[FileRecord | Defect]:
    return parse_records(read_text(_SUITE, f"{name}.jsonl").encode(), _SOURCES[name])


def tool_functions() -> list[dict[str, Any]]:
    """The tools as sessions are published with them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.spec.name,
                "description": tool.spec.description,
                "parameters": tool.spec.parameters,
            },
        }
        for tool in catalogue().values()
    ]


def _files(folder: Path) -> list[Path]:
    named = [folder / f"{scenario}.jsonl" for scenario in SCENARIOS]
    files = [path for path in named if path.is_file()] or sorted(folder.glob("*.jsonl"))
    if not files:
        raise UserError(
            f"The folder {folder} holds no sessions; they are {', '.join(p.name for p in named)}."
        )
    return files


def read_session(record: FileRecord) -> Session | Defect:
    """The session of a line, or the fault that keeps it from being run."""
    published = validated(record, PublishedSession)
    if isinstance(published, Defect):
        return published
    if problem := _problem(published):
        return Defect(f"{record.where}, {published.id}", problem)
    turns = tuple(_turn(published, number) for number in range(TURNS))
    labels = {
        "scenario": published.clinical_scenario,
        "tier": str(published.difficulty_level),
        "arc": arc(turns),
        "domain": published.clinical_task_domain,
    }
    gold = SessionGold(
        published.session_id,
        published.subject_id,
        published.hadm_id,
        published.clock or published.current_date,
        turns,
        Persona(**published.persona_config.model_dump()),
        published.memory,
        tuple(_patient_answers(published)),
    )
    return Task(published.id, _public(published), gold, labels)


def _problem(session: PublishedSession) -> str:
    """The first fault of a session that keeps it from being run; "" if there is none."""
    english, chinese = _questions(session, explicit=False).values()
    lists: dict[str, list[Any]] = {
        "tasks_en": list(english),
        "answer_list": session.answer_list,
        "task_types": session.task_types,
        "rubrics": session.rubrics,
    }
    lists |= {"tasks_zh": list(chinese)} if chinese else {}
    lists |= {"rubrics_zh": session.rubrics_zh} if session.rubrics_zh else {}
    for name, values in lists.items():
        if len(values) != TURNS:
            return f"{name}: a session has {TURNS} turns, and this one has {len(values)}"
    if unknown := set(session.task_types) - _TYPES.keys():
        return f"task_types: {sorted(unknown)[0]!r} is none of {', '.join(_TYPES)}"
    if session.clinical_scenario not in SCENARIOS:
        return f"clinical_scenario: {session.clinical_scenario!r} is none of {', '.join(SCENARIOS)}"
    for turn, items in enumerate(session.rubrics):
        if not items:
            return f"rubrics: turn {turn} has no item"
        if session.rubrics_zh and len(session.rubrics_zh[turn]) != len(items):
            return f"rubrics_zh: turn {turn} has another number of items than in English"
        if session.answer_list_zh and _names(session.answer_list_zh, turn) != _names(
            session.answer_list, turn
        ):
            return f"answer_list_zh: turn {turn} has other calls than in English"
    return ""


def _names(answers: list[list[PublishedStep]], turn: int) -> list[str]:
    return [step.action.name for step in answers[turn]] if turn < len(answers) else []


def _public(session: PublishedSession) -> SessionPublic:
    return SessionPublic(
        session.env_info, _questions(session, explicit=False), _questions(session, explicit=True)
    )


def _questions(session: PublishedSession, *, explicit: bool) -> dict[Language, tuple[str, ...]]:
    """The questions by language; the published `tasks` are English."""
    if explicit:
        english = session.tasks_en_explicit or session.tasks_explicit
        return {"en": tuple(english), "zh": tuple(session.tasks_zh_explicit)}
    return {"en": tuple(session.tasks_en or session.tasks), "zh": tuple(session.tasks_zh)}


def _turn(session: PublishedSession, number: int) -> GoldTurn:
    english = session.answer_list[number]
    chinese = session.answer_list_zh[number] if session.answer_list_zh else english
    type = _TYPES[session.task_types[number]]
    calls = [
        GoldCall(
            step.action.name,
            step.action.arguments,
            {"en": step.observation, "zh": _or(other.observation, step.observation)},
        )
        for step, other in zip(english, chinese, strict=True)
        if step.action.name != PREPARE
    ]
    items = tuple(session.rubrics[number])
    return GoldTurn(
        type,
        _at(session.turn_subtypes, number),
        _at(session.tool_sources, number) or ("write" if type == "WU" else "ehr"),
        _at(session.workup_modes, number),
        tuple(calls),
        {"en": _answer(english), "zh": _answer(chinese)},
        {"en": items, "zh": tuple(session.rubrics_zh[number]) if session.rubrics_zh else items},
        tuple(session.checks[number]) if session.checks else (),
    )


def _at(values: list[Any], number: int) -> Any:
    return values[number] if number < len(values) else None


def _answer(steps: list[PublishedStep]) -> str:
    """The gold answer: the result of the control tool at the end of a turn."""
    for step in reversed(steps):
        if step.action.name == PREPARE:
            return step.observation if isinstance(step.observation, str) else ""
    return ""


def _patient_answers(session: PublishedSession) -> Iterator[PatientAnswer]:
    for turn, steps in enumerate(session.answer_list):
        chinese = session.answer_list_zh[turn] if session.answer_list_zh else []
        for number, step in enumerate(steps):
            if step.action.name.startswith("patient."):
                texts: dict[Language, dict[Literacy, str]] = {"en": _variants(step.observation)}
                other = _variants(chinese[number].observation) if number < len(chinese) else {}
                # A published session has no Chinese patient; its English is not taken for one.
                if _CJK.search("".join(other.values())):
                    texts["zh"] = other
                yield PatientAnswer(step.action.name, step.action.arguments, texts)


def _variants(observation: Any) -> dict[Literacy, str]:
    """A recorded answer by literacy; the plain one stands in for missing variants."""
    if isinstance(observation, str):
        return dict.fromkeys(LITERACIES, observation)
    if not isinstance(observation, Mapping):
        return {}
    plain = observation.get(_ANSWER, "")
    variants = observation.get(_VARIANTS) or {}
    return {literacy: variants.get(literacy) or plain for literacy in LITERACIES}


def _or(chinese: Any, english: Any) -> Any:
    """The Chinese result; the English one where a line leaves it out, as a chart is English."""
    return english if chinese is None else chinese
