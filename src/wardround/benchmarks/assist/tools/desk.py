"""The desk at which an assistant works: carries out calls on the record and asks the patient."""

from asyncio import to_thread
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from wardround.benchmarks.assist.sessions import PREPARE, WRITES
from wardround.benchmarks.assist.tools.admissions import (
    read_patient,
    search_conditions,
    search_encounters,
)
from wardround.benchmarks.assist.tools.arguments import (
    ArgumentError,
    Arguments,
    Shapes,
    read_arguments,
)
from wardround.benchmarks.assist.tools.catalogue import (
    ADMISSION,
    ASK,
    SESSION,
    SUBJECT,
    CatalogueTool,
    catalogue,
)
from wardround.benchmarks.assist.tools.chart import ChartError, PatientChart, open_patient
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.benchmarks.assist.tools.documents import search_notes, search_plans, search_reports
from wardround.benchmarks.assist.tools.medications import search_doses, search_orders
from wardround.benchmarks.assist.tools.observations import search_observations
from wardround.benchmarks.assist.tools.orders import write
from wardround.benchmarks.assist.tools.results import (
    NOTES,
    SPOKEN,
    bundle,
    error,
    is_error,
    nothing_found,
    published,
)
from wardround.core.parameters import from_json_schema
from wardround.core.tools import Tool
from wardround.ehr.fhir.interaction import FhirServer, Resource

_READS: Mapping[str, Callable[[PatientChart, str, Mapping[str, Any]], Resource]] = {
    "Patient.read": read_patient,
    "Encounter.search": search_encounters,
    "Condition.search": search_conditions,
    "Observation.search": search_observations,
    "MedicationRequest.search": search_orders,
    "MedicationAdministration.search": search_doses,
    "DiagnosticReport.search": search_reports,
    "DocumentReference.search": search_notes,
    "CarePlan.search": search_plans,
}
_ANY = from_json_schema({"type": "object", "additionalProperties": True})


class Spoken(Protocol):
    """An answer of the patient."""

    @property
    def text(self) -> str:
        """Its words."""
        ...


class Patient(Protocol):
    """Answers the patient tools: a simulated patient or a script."""

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> Spoken:
        """Answers a question on a subject, such as `social_history`."""
        ...


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A call with the arguments as they were read and its whole result."""

    tool: str
    arguments: Mapping[str, Any]
    observation: Any


@dataclass(slots=True)
class Desk:
    """Carries out the calls of one session.

    Attributes:
        server: the record with the writes of this session.
        subject_id: the patient of the session.
        hadm_id: the stay that the session is about; None for no single one.
        clock: the time of the session, with its zone.
        patient: answers the patient tools; None if there is nobody to ask.
        session_id: the session's id.
        shapes: `paper` for results as published, `strict` for the same without faults.
        carried_out: gets each call that was not refused.
    """

    server: FhirServer
    subject_id: int
    hadm_id: int | None
    clock: datetime
    patient: Patient | None = None
    session_id: str = ""
    shapes: Shapes = "strict"
    carried_out: Callable[[CarriedOut], None] = field(default=lambda _: None)
    _charts: dict[int, PatientChart | None] = field(default_factory=dict, init=False)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The whole result of a call: plain JSON, with an `error` if it cannot be carried out."""
        tool = catalogue().get(name.replace("__", "."))
        if tool is None:
            tool_names = ", ".join(catalogue())
            return error(f"There is no tool named {name!r}; the tools are: {tool_names}.")
        try:
            read = read_arguments(tool, self._completed(tool, arguments))
            result = await self._result(tool, read)
        except (ArgumentError, ChartError) as fault:
            return error(f"{tool.name}: {fault}")
        return self._shown(tool, read, result)

    def read(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The whole result of a call of a tool that reads the record, made in this thread."""
        tool = catalogue()[name]
        try:
            read = read_arguments(tool, arguments)
            result = self._on_record(tool.name, read.values)
        except (ArgumentError, ChartError) as fault:
            return error(f"{tool.name}: {fault}")
        return self._shown(tool, read, result)

    def _shown(self, tool: CatalogueTool, read: Arguments, result: Resource) -> Resource:
        """A result in its shape, which counts as carried out unless it is an error."""
        if self.shapes == "paper":
            result = published(result)
        elif read.notes:
            result = {**result, NOTES: list(read.notes)}
        if not is_error(result):
            self.carried_out(CarriedOut(tool.name, read.values, result))
        return result

    async def _result(self, tool: CatalogueTool, read: Arguments) -> Resource:
        values = read.values
        if tool.name == PREPARE:
            return {"status": "ready", "answer_type": values.get("answer_type", "tool")}
        if tool.name.startswith(ASK):
            return await self._ask(tool, values)
        return await to_thread(self._on_record, tool.name, values)

    def _completed(self, tool: CatalogueTool, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments; patient tools are always about the patient of the session."""
        if SESSION not in tool.parameters:
            return arguments
        return {**arguments, SUBJECT: self.subject_id, SESSION: self.session_id}

    async def _ask(self, tool: CatalogueTool, values: Mapping[str, Any]) -> Resource:
        if self.patient is None:
            return error(f"{tool.name}: there is no patient to ask in this session.")
        spoken = await self.patient.answer(tool.name.removeprefix(ASK), values)
        return {SPOKEN: spoken.text}

    def _on_record(self, name: str, values: Mapping[str, Any]) -> Resource:
        subject = values[SUBJECT]
        if subject != self.subject_id and (self.shapes == "strict" or name in WRITES):
            return error(
                f"{name}: {subject} is not the patient of this session; use {self.subject_id}."
            )
        if subject not in self._charts:
            self._charts[subject] = open_patient(self.server, subject, self.clock, self.shapes)
        chart = self._charts[subject]
        if chart is None:
            return nothing_found(f"The record has no patient with the subject_id {subject}.")
        hadm_id = self.hadm_id if name in WRITES else values.get(ADMISSION)
        stays = chart.stays(hadm_id)
        if name in WRITES:
            return write(chart, name, stays or "", values)
        if stays is None and name == "CarePlan.search" and self.shapes == "paper":
            return bundle("CarePlan", ())
        if stays is None:
            return nothing_found(f"The patient has no stay with the hadm_id {hadm_id}.")
        return _READS[name](chart, stays, values)


class CallDesk(Protocol):
    """The protocol of objects that carry out calls, on a record or on recorded results."""

    @property
    def shapes(self) -> Shapes:
        """The form of the results."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The whole result of a call."""
        ...


def session_tools(desk: CallDesk) -> tuple[Tool, ...]:
    """The tools of a session; agents read their results in short."""
    return tuple(_tool(desk, each) for each in catalogue().values())


def _tool(desk: CallDesk, described: CatalogueTool) -> Tool:
    """A tool that takes any arguments, so that the desk can read other spellings."""

    async def run(**arguments: Any) -> str:
        return compact(await desk.call(described.name, arguments), desk.shapes)

    return Tool(described.spec, _ANY, run)
