"""Makes the shipped sessions: fills the plans with what the gold calls find in the record."""

from asyncio import run
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from itertools import product
from typing import Any, TypeAlias

from tools.suites.assist_sessions.memories import memory
from tools.suites.assist_sessions.recorded_values import RecordedValue
from wardround.benchmarks.assist.record import by_identifier
from wardround.benchmarks.assist.sessions import (
    LANGUAGES,
    LITERACIES,
    PREPARE,
    SCENARIOS,
    TASK_TYPES,
    Language,
    Scenario,
)
from wardround.benchmarks.assist.suite.record import made_chart
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.benchmarks.assist.tools.results import is_error
from wardround.core.packaged_data import read_toml
from wardround.ehr.fhir.interaction import FhirServer

_PATIENT_TOOLS = "patient."
_ARCS = tuple(product(("IL",), ("IL", "DG", "CR"), ("IL", "DG", "CR"), ("DG", "CR", "WU")))
Line: TypeAlias = dict[str, Any]


def made_sessions() -> Iterator[Line]:
    """The sessions as published lines, in the order of the plans."""
    for scenario in SCENARIOS:
        plans = read_toml(__package__, f"{scenario}.toml")["session"]
        for number, plan in enumerate(plans):
            yield _session(plan, scenario, number)


def _session(plan: Line, scenario: Scenario, number: int) -> Line:
    subject, tier = plan["subject"], plan["tier"]
    admission = read_toml(__package__, "admissions.toml")[str(subject)]
    with closing(made_chart("hand_written").workspace(gated=False)) as server:
        clock = plan.get("clock") or _discharge(server, admission)
        facts = _facts(server, subject, clock)
    name = f"{scenario}_{number + 1}"
    with closing(made_chart("hand_written").workspace(datetime.fromisoformat(clock))) as server:
        desk = Desk(server, subject, admission, datetime.fromisoformat(clock))
        turns = _lines(plan, f"wardround_{name}", desk)
    return {
        "id": f"wardround_{plan['domain']}_{name}_L{tier}",
        "session_id": f"wardround_{name}",
        "env_info": f"session_id: wardround_{name}\n{facts}",
        "current_date": clock[:10],
        "clock": clock,
        "subject_id": subject,
        "hadm_id": admission,
        "clinical_scenario": scenario,
        "clinical_task_domain": plan["domain"],
        "difficulty_level": tier,
        "tool_set": "fhir",
        "sequence_idx": _ARCS.index(tuple(turn["type"] for turn in plan["turn"])),
        "turn_types": [turn > 0 for turn in range(len(turns))],
        "persona_config": plan["persona"],
        "memory": memory(plan, subject, admission, clock),
        "patient_agent_annotations": list(_annotations(plan)),
        **{key: [turn[key] for turn in turns] for key in turns[0]},
    }


def _lines(plan: Line, session: str, desk: Desk) -> list[Line]:
    """The turns' parts of a published line, each with the results of the turns before it."""
    turns: list[_Turn] = []
    for turn in plan["turn"]:
        turns.append(_Turn(turn, session, desk, tuple(turns)))
    return [turn.line() for turn in turns]


def _annotations(plan: Line) -> Iterator[Line]:
    """The questions to the patient and the answers to them."""
    for number, turn in enumerate(plan["turn"]):
        for call in turn["calls"]:
            if call["tool"].startswith(_PATIENT_TOOLS):
                yield {
                    "turn": number,
                    "query_type": call["tool"].removeprefix(f"{_PATIENT_TOOLS}get_"),
                    "query": call["arguments"].get("query", ""),
                    "drug": call["arguments"].get("drug", ""),
                    "patient_response": turn["en"]["patient"]["high"],
                }


def _discharge(server: FhirServer, admission: int) -> str:
    encounter = by_identifier(server, "Encounter", admission) or {}
    return str(encounter["period"]["end"])


def _facts(server: FhirServer, subject: int, clock: str) -> str:
    """The line of a session's facts: date, age and sex."""
    patient = by_identifier(server, "Patient", subject) or {}
    born, now = date.fromisoformat(patient["birthDate"]), date.fromisoformat(clock[:10])
    age = now.year - born.year - ((now.month, now.day) < (born.month, born.day))
    return f"Current date: {clock[:10]}. The patient is {age} years old and {patient['gender']}."


class _Turn:
    """A planned turn, with the results of its gold calls."""

    def __init__(self, plan: Line, session: str, desk: Desk, earlier: tuple["_Turn", ...]) -> None:
        self._plan = plan
        self._session = session
        self._desk = desk
        self._earlier = earlier
        self._called = [self._result(call) for call in plan["calls"]]

    def line(self) -> Line:
        """The turn's part of a published line, by field."""
        plan = self._plan
        fields: Line = {
            "task_types": TASK_TYPES[plan["type"]],
            "task_sequence": TASK_TYPES[plan["type"]],
            "tasks": plan["en"]["question"],
            "tasks_explicit": plan["en"]["explicit"],
            "turn_subtypes": plan.get("subtype"),
            "tool_sources": plan["source"],
            "workup_modes": plan.get("workup"),
        }
        for language in LANGUAGES:
            texts = plan[language]
            fields[f"tasks_{language}"] = texts["question"]
            fields[f"tasks_{language}_explicit"] = texts["explicit"]
        fields["answer_list"] = self._steps("en")
        fields["answer_list_zh"] = self._steps("zh")
        fields["rubrics"] = [self._filled(item, "en") for item in plan["en"]["rubric"]]
        fields["rubrics_zh"] = [self._filled(item, "zh") for item in plan["zh"]["rubric"]]
        return fields

    def _result(self, call: Line) -> tuple[Any, str]:
        """The result of a gold call, as JSON and as agents read it; empty for a patient tool."""
        if call["tool"].startswith(_PATIENT_TOOLS):
            return {}, ""
        result = run(self._desk.call(call["tool"], self._arguments(call)))
        if is_error(result) or result["resourceType"] == "OperationOutcome":
            raise ValueError(f"{self._session}: the call {call} finds nothing: {result}")
        return result, compact(result, "strict")

    def _steps(self, language: Language) -> list[Line]:
        steps = [
            {
                "action": {"name": call["tool"], "arguments": self._arguments(call)},
                "observation": self._observation(number, call, language),
                "dependency_list": [],
                "idx": number,
            }
            for number, call in enumerate(self._plan["calls"])
        ]
        answer = self._filled(self._plan[language]["answer"], language)
        last: Line = {
            "action": {"name": PREPARE, "arguments": {"answer_type": "tool"}},
            "observation": answer,
            "dependency_list": [step["idx"] for step in steps],
            "idx": len(steps),
        }
        return [*steps, last]

    def _arguments(self, call: Line) -> Line:
        """The planned arguments, with the ids that the session gives to everybody."""
        ids: Line = {"subject_id": self._desk.subject_id}
        if call["tool"].startswith(_PATIENT_TOOLS):
            ids["session_id"] = self._session
        elif call["tool"].endswith(".search"):
            ids["hadm_id"] = self._desk.hadm_id
        return {**ids, **call["arguments"]}

    def _observation(self, number: int, call: Line, language: Language) -> Any:
        """A recorded result; the chart's is the same in both languages and stands once."""
        if call["tool"].startswith(_PATIENT_TOOLS):
            spoken = self._plan[language]["patient"]
            variants = {literacy: spoken[literacy] for literacy in LITERACIES}
            return {"patient_response": spoken["high"], "patient_responses_all_literacy": variants}
        return self._called[number][1] if language == "en" else None

    def _filled(self, text: str, language: Language) -> str:
        """A text with the values of the resources that the plan picks."""
        picked = {
            name: RecordedValue(self._entry(place), language)
            for name, place in self._plan.get("pick", {}).items()
        }
        return text.format(**picked)

    def _entry(self, place: str) -> Line:
        """A resource by the numbers of its call and entry, after that of an earlier turn.

        Withheld doses are not counted.
        """
        *turn, call, entry = map(int, place.split())
        called = self._earlier[turn[0]]._called if turn else self._called
        resources: list[Line] = [each["resource"] for each in called[call][0]["entry"]]
        return [each for each in resources if each.get("status") != "not-done"][entry]
