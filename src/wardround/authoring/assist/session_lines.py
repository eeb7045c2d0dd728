"""Writes a planned session as a line of the published form, with the sources beside its rubric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any, TypeAlias

from wardround.authoring.assist.facts.findings import PlannedCall
from wardround.authoring.assist.facts.functions import Value
from wardround.authoring.assist.facts.patients import persona_of, spoken
from wardround.authoring.assist.facts.sources import Source, Transcript, to_json
from wardround.authoring.assist.facts.survey import Survey, person_of
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.told_risks import excluded_risks
from wardround.authoring.assist.wording.turn_texts import TurnTexts, turn_texts
from wardround.benchmarks.assist.sessions import (
    LANGUAGES,
    PREPARE,
    TASK_TYPES,
    TURNS,
    Language,
    Literacy,
    Scenario,
)
from wardround.benchmarks.assist.tasks import tool_functions
from wardround.benchmarks.assist.tools.catalogue import SESSION
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.people.patient.memory import PatientMemory

Line: TypeAlias = dict[str, Any]
# A patient's answer by language and health literacy.
Words: TypeAlias = Mapping[Language, Mapping[Literacy, str]]
# The domain of each scenario's sessions.
_DOMAINS: Mapping[Scenario, str] = {
    "diagnostic_workup": "LabInterp",
    "med_safety": "MedRecon",
    "treatment_response": "ICUReasoning",
    "discharge_planning": "DischargePlan",
}
_SEPARATOR = "=" * 60


@dataclass(frozen=True)
class Session:
    """A planned session, ready to be written.

    Attributes:
        name: its id in a suite, such as "med_safety_12".
        cell: the cell that it fills.
        drafts: its turns, with their sources placed.
        texts: the words of its turns.
        survey: the record of its patient.
        memory: the patient's memory.
        facts: the line of date, age and sex.
        story: the way in which the patient differs from the chart; "" for none.
        words: the patient's answers with any that a model worded; None for those of the rules.
        words_writer: the name of that model.
    """

    name: str
    cell: Cell
    drafts: tuple[Draft, ...]
    texts: tuple[TurnTexts, ...]
    survey: Survey
    memory: PatientMemory
    facts: str
    story: str = ""
    words: tuple[Words, ...] | None = None
    words_writer: str = ""

    @property
    def id(self) -> str:
        """The id by which its calls name it."""
        return f"wardround_{self.name}"

    @property
    def patient_words(self) -> tuple[Words, ...]:
        """The patient's answers, in the order of the questions to the patient."""
        return self.words or tuple(spoken(self.memory, self.patient_calls))

    @property
    def transcript(self) -> Transcript:
        """The results of the gold calls, for the check of sources."""
        results, words = {}, {}
        answers = iter(self.patient_words)
        for turn, draft in enumerate(self.drafts):
            for number, call in enumerate(draft.calls):
                if call.tool.startswith("patient."):
                    words[turn, number] = next(answers)["en"]["high"]
                elif call != draft.order:
                    results[turn, number] = self.survey.result(call)
        questions = [text.question["en"] for text in self.texts]
        facts: dict[str, Value] = {each.field: each.value for each in person_of(self.survey)}
        facts["date"] = self.survey.desk.clock.date().isoformat()
        return Transcript(results, words, questions, facts)

    @property
    def patient_calls(self) -> list[PlannedCall]:
        """The questions to the patient, in order."""
        calls = [call for draft in self.drafts for call in draft.calls]
        return [call for call in calls if call.tool.startswith("patient.")]


def planned_session(
    name: str,
    cell: Cell,
    drafts: Sequence[Draft],
    survey: Survey,
    memory: PatientMemory,
    facts: str,
    random: Random,
) -> Session:
    """A session with its sources placed and its turns worded."""
    placed = tuple(_placed(draft, turn) for turn, draft in enumerate(drafts))
    day = survey.desk.clock.date().isoformat()
    person = person_of(survey)
    texts = tuple(turn_texts(placed, turn, day, random, person) for turn in range(TURNS))
    return Session(name, cell, placed, texts, survey, memory, facts)


def session_line(session: Session, made: str) -> Line:
    """The session as a published line.

    Args:
        session: the session.
        made: the time that the suite is dated.
    """
    desk, cell = session.survey.desk, session.cell
    domain, id = _DOMAINS[cell.scenario], session.id
    turns = [_turn(session, number) for number in range(TURNS)]
    return {
        "id": f"wardround_{domain}_{session.name}_L{cell.tier}",
        "session_id": id,
        "env_info": f"session_id: {id}\n{session.facts}",
        "current_date": desk.clock.date().isoformat(),
        "clock": desk.clock.isoformat(),
        "subject_id": desk.subject_id,
        "hadm_id": desk.hadm_id,
        "clinical_scenario": cell.scenario,
        "clinical_task_domain": domain,
        "difficulty_level": cell.tier,
        "tool_set": "fhir",
        "sequence_idx": cell.index,
        "generated_at": made,
        "tools": tool_functions(),
        "turn_types": [turn > 0 for turn in range(TURNS)],
        "persona_config": dict(persona_of(session.memory)),
        "memory": session.memory.model_dump(mode="json", exclude_defaults=True),
        "patient_agent_annotations": _annotations(session),
        "dep_graph": _dependencies(session),
        "session_plan": _plan(session),
        "write_gold_params": [
            {"tool": draft.order.tool, "params": dict(draft.order.arguments)}
            for draft in session.drafts
            if draft.order
        ],
        "messages": _messages(turns, "en"),
        "messages_zh": _messages(turns, "zh"),
        **{key: [turn[key] for turn in turns] for key in turns[0]},
        **_writers(session),
    }


def _placed(draft: Draft, turn: int) -> Draft:
    calls = draft.calls
    findings = tuple(each.placed(turn, calls.index(each.call)) for each in draft.findings)
    return replace(draft, findings=findings)


def _turn(session: Session, number: int) -> Line:
    draft, texts = session.drafts[number], session.texts[number]
    fields: Line = {
        "task_types": TASK_TYPES[draft.type],
        "task_sequence": TASK_TYPES[draft.type],
        "turn_subtypes": draft.form,
        "tool_sources": draft.source,
        "workup_modes": "parallel" if draft.type == "DG" else None,
        "tasks": texts.question["en"],
        "tasks_explicit": texts.explicit["en"],
        "rubrics": [item.texts["en"] for item in texts.items],
        "rubrics_zh": [item.texts["zh"] for item in texts.items],
        "rubric_sources": [[_stored(source) for source in item.sources] for item in texts.items],
        "checks": [item.check for item in texts.items],
    }
    for language in LANGUAGES:
        fields[f"tasks_{language}"] = texts.question[language]
        fields[f"tasks_{language}_explicit"] = texts.explicit[language]
    fields["answer_list"] = _steps(session, number, "en")
    fields["answer_list_zh"] = _steps(session, number, "zh")
    return fields


def _writers(session: Session) -> Line:
    """The language models that worded questions and answers; nothing if rules worded all."""
    writers = [texts.writer or None for texts in session.texts]
    line: Line = {"question_writers": writers} if any(writers) else {}
    return line | ({"patient_writer": session.words_writer} if session.words_writer else {})


def _stored(source: Source) -> Line:
    return to_json(source)


def _steps(session: Session, turn: int, language: Language) -> list[Line]:
    draft = session.drafts[turn]
    steps = [
        {
            "action": {"name": call.tool, "arguments": _arguments(session, call)},
            "observation": _observation(session, turn, call, language),
            "dependency_list": [],
            "idx": number,
        }
        for number, call in enumerate(draft.calls)
    ]
    last: Line = {
        "action": {"name": PREPARE, "arguments": {"answer_type": "tool" if steps else "chat"}},
        "observation": session.texts[turn].answer[language],
        "dependency_list": [step["idx"] for step in steps],
        "idx": len(steps),
    }
    return [*steps, last]


def _arguments(session: Session, call: PlannedCall) -> Line:
    """The arguments of a gold call; the patient is asked in the session."""
    arguments = session.survey.arguments(call)
    is_asked = call.tool.startswith("patient.")
    return {**arguments, SESSION: session.id} if is_asked else arguments


def _observation(session: Session, turn: int, call: PlannedCall, language: Language) -> Any:
    """A recorded result; that of the record is the same in both languages and stands once."""
    if call.tool.startswith("patient."):
        number = session.patient_calls.index(call)
        variants = dict(session.patient_words[number][language])
        return {"patient_response": variants["high"], "patient_responses_all_literacy": variants}
    if language == "zh" or call == session.drafts[turn].order:
        return None if language == "zh" else {}
    return compact(session.survey.returned(call), "strict")


def _annotations(session: Session) -> list[Line]:
    answers = iter(session.patient_words)
    return [
        {
            "turn": turn,
            "query_type": call.tool.removeprefix("patient.get_"),
            "query": call.arguments.get("query", ""),
            "drug": call.arguments.get("drug", ""),
            "patient_response": next(answers)["en"]["high"],
        }
        for turn, draft in enumerate(session.drafts)
        for call in draft.calls
        if call.tool.startswith("patient.")
    ]


def _dependencies(session: Session) -> Line:
    """The entities and risks that each question leaves out, with the turns that told them."""
    kinds = {"NA": "entity", "PE": "predicate", "AE": "situation"}
    nodes = {
        str(turn): {
            "task_type": TASK_TYPES[draft.type],
            "tool_source": draft.source,
            "subtype": draft.form,
            "entities": [entity.name or entity.kind for entity in draft.entities],
            "tool_calls": [call.tool for call in draft.calls],
        }
        for turn, draft in enumerate(session.drafts)
    }
    edges = [
        {"src": source, "tgt": turn, "dep_type": kinds[str(draft.form)],
         "antecedent": entity.name or entity.kind}
        for turn, draft in enumerate(session.drafts)
        for entity, source in draft.omitted
    ]  # fmt: skip
    edges += [
        {"src": draft.echoed, "tgt": turn, "dep_type": "predicate",
         "antecedent": draft.findings[0].kind}
        for turn, draft in enumerate(session.drafts)
        if draft.echoed is not None
    ]  # fmt: skip
    edges += [
        {"src": source, "tgt": turn, "dep_type": "situation", "antecedent": risk}
        for turn, draft in enumerate(session.drafts)
        if draft.type == "CR" and draft.form == "AE"
        for risk, source in excluded_risks(draft.bound, session.drafts[:turn]).items()
    ]  # fmt: skip
    return {"nodes": nodes, "edges": edges}


def _plan(session: Session) -> Line:
    topics = [", ".join(e.name or e.kind for e in draft.entities) for draft in session.drafts]
    return {
        "clinical_situation": session.facts,
        "investigation_arc": "-".join(session.cell.arc),
        "turn_intents": topics,
        "turns": [
            {"turn": turn, "task_type": TASK_TYPES[draft.type], "topic": topic,
             "tool_hint": draft.calls[0].tool, "tool_source": draft.source}
            for turn, (draft, topic) in enumerate(zip(session.drafts, topics, strict=True))
        ],
    }  # fmt: skip


def _messages(turns: Sequence[Line], language: Language) -> list[Any]:
    """The talk; in English with separators between the turns, as published."""
    suffix = "" if language == "en" else "_zh"
    messages: list[Any] = []
    for turn in turns:
        if messages and language == "en":
            messages.append(_SEPARATOR)
        answer = turn[f"answer_list{suffix}"][-1]["observation"]
        messages.append({"role": "user", "content": turn[f"tasks_{language}"]})
        messages.append({"role": "assistant", "content": answer})
    return messages


def facts_of(survey: Survey, clock: datetime) -> str:
    """The line of a session's date, age and sex."""
    age, sex = person_of(survey)
    return f"Current date: {clock.date()}. The patient is {age.value} years old and {sex.value}."
