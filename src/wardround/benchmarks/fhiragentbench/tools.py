"""The agent's tools: four ways to retrieve resources, and Python code on what was retrieved."""

from asyncio import to_thread
from collections.abc import Callable
from typing import Any

from wardround.benchmarks.fhiragentbench import retrieval
from wardround.benchmarks.fhiragentbench.declaration import Strategy
from wardround.benchmarks.fhiragentbench.retrieval import Grouped
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, tool
from wardround.core.trajectory import Noted, Trajectory
from wardround.ehr.fhir.interaction import FhirServer
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.programs import run_program

RETRIEVED, PROGRAM = "retrieved", "program"
USED_UP = "This strategy has one {what}, and it is used up; answer the question now."


class AgentTools:
    """The tools of one trial.

    Args:
        server: the record.
        strategy: decides which tools there are, and how often they may be used.
        processes: runs programs.
        trajectory: gets a note of the ids of each retrieval, and of each program's outcome.
    """

    def __init__(
        self,
        server: FhirServer,
        strategy: Strategy,
        processes: ForkServer,
        trajectory: Trajectory,
    ) -> None:
        turns, _, self._way = strategy.partition("-")
        self._single = turns == "single"
        self._server, self._processes, self._trajectory = server, processes, trajectory
        self._retrieved: Grouped = {}
        self._uses = {RETRIEVED: 0, PROGRAM: 0}

    def tools(self) -> list[Tool]:
        """The tools of the strategy."""
        if self._way == "request":
            return [self._request_tool()]
        return self._resource_tools() + ([self._code_tool()] if self._way == "code" else [])

    async def _retrieve(self, read: Callable[..., Grouped], *arguments: str) -> str:
        self._check_use(RETRIEVED, "retrieval")
        grouped = await to_thread(read, self._server, *arguments)
        self._uses[RETRIEVED] += 1
        self._trajectory.record(Noted(RETRIEVED, retrieval.ids(grouped)))
        for type, found in grouped.items():
            merged = {each["id"]: each for each in [*self._retrieved.get(type, ()), *found]}
            self._retrieved[type] = list(merged.values())
        return as_json(_overview(grouped) if self._way == "code" else grouped)

    def _check_use(self, kind: str, what: str) -> None:
        if self._single and self._uses[kind]:
            raise ToolError(USED_UP.format(what=what))

    def _request_tool(self) -> Tool:
        async def fhir_request_get(query_string: str) -> str:
            """Sends a GET request to the FHIR server and returns the resources, grouped by type.

            Args:
                query_string: the address below the server's base with its parameters, such as
                    Encounter?patient=ID&_sort=date
            """
            return await self._retrieve(retrieval.by_request, query_string)

        return tool(fhir_request_get)

    def _resource_tools(self) -> list[Tool]:
        async def get_resources_by_resource_id(resource_type: str, resource_id: str) -> str:
            """Returns the resource with an id.

            Args:
                resource_type: its type, such as Medication.
                resource_id: its id.
            """
            return await self._retrieve(retrieval.by_id, resource_type, resource_id)

        async def get_resources_by_patient_fhir_id(resource_type: str, patient_fhir_id: str) -> str:
            """Returns all resources of a type that belong to a patient.

            Args:
                resource_type: the type, such as Observation.
                patient_fhir_id: the id of the patient.
            """
            return await self._retrieve(retrieval.by_patient, resource_type, patient_fhir_id)

        async def get_all_resources_by_patient_fhir_id(patient_fhir_id: str) -> str:
            """Returns all resources of all types that belong to a patient.

            Args:
                patient_fhir_id: the id of the patient.
            """
            return await self._retrieve(retrieval.all_by_patient, patient_fhir_id)

        return [
            tool(get_resources_by_resource_id),
            tool(get_resources_by_patient_fhir_id),
            tool(get_all_resources_by_patient_fhir_id),
        ]

    def _code_tool(self) -> Tool:
        async def execute_python_code(code: str) -> str:
            """Runs Python code on the resources retrieved so far, in 60 seconds at most.

            The variable retrieved_resources holds a dictionary of lists of resources by type. The
            code puts its result into the variable answer; what it prints is returned as well.
            The standard library is there; files and network are not.

            Args:
                code: the program.
            """
            self._check_use(PROGRAM, "program")
            self._uses[PROGRAM] += 1
            values = {"retrieved_resources": self._retrieved}
            result = await to_thread(run_program, code, values, self._processes)
            self._trajectory.record(Noted(PROGRAM, {"failed": bool(result.error)}))
            found = {"answer": result.answer, "printed": result.printed, "error": result.error}
            return as_json({name: text for name, text in found.items() if text})

        return tool(execute_python_code)


def _overview(grouped: Grouped) -> dict[str, dict[str, Any]]:
    """The number of resources of each type, with the first one; code sees them all."""
    return {type: {"count": len(found), "first": found[0]} for type, found in grouped.items()}
