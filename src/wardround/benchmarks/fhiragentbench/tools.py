"""The tools of an agent, by strategy."""

from asyncio import to_thread
from collections.abc import Callable

from wardround.benchmarks.fhiragentbench.retriever import Retriever
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, tool
from wardround.ehr.fhir.interaction import Resource
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.snippets.run import ENTRY, run_snippet

CODE_SECONDS = 60
BOUNDS = Bounds(computing=CODE_SECONDS, silent=CODE_SECONDS, whole=CODE_SECONDS, memory=1 << 30)
CODE = "execute_python_code"
_SHOWN = 2  # resources of a type that are shown where code gets all of them
_PROCESSES = ForkServer(ENTRY)


def request_tools(retriever: Retriever) -> list[Tool]:
    """The tool that sends a request as it is."""

    async def fhir_request_get(query_string: str) -> str:
        """Sends a GET request to the FHIR server and returns the resources that it finds.

        Args:
            query_string: the path below the server's base with its parameters.
        """
        return as_json(await to_thread(retriever.request, query_string))

    return [tool(fhir_request_get)]


def resource_tools(
    retriever: Retriever, show: Callable[[dict[str, list[Resource]]], str]
) -> list[Tool]:
    """The tools that find resources by their id or by their patient.

    Args:
        retriever: retrieves and remembers.
        show: what the agent reads of the resources.
    """

    async def get_resources_by_resource_id(resource_type: str, resource_id: str) -> str:
        """Returns the resource with an id.

        Args:
            resource_type: the resource's type.
            resource_id: its FHIR id.
        """
        return show(await to_thread(retriever.by_id, resource_type, resource_id))

    async def get_resources_by_patient_fhir_id(resource_type: str, patient_fhir_id: str) -> str:
        """Returns all resources of a type that belong to a patient.

        Args:
            resource_type: the resources' type.
            patient_fhir_id: the patient's FHIR id.
        """
        return show(await to_thread(retriever.by_patient, resource_type, patient_fhir_id))

    async def get_all_resources_by_patient_fhir_id(patient_fhir_id: str) -> str:
        """Returns all resources that belong to a patient, of every type.

        Args:
            patient_fhir_id: the patient's FHIR id.
        """
        return show(await to_thread(retriever.all_by_patient, patient_fhir_id))

    return [
        tool(get_resources_by_resource_id),
        tool(get_resources_by_patient_fhir_id),
        tool(get_all_resources_by_patient_fhir_id),
    ]


def code_tool(retriever: Retriever) -> Tool:
    """The tool that runs Python on what was retrieved."""

    async def execute_python_code(code: str) -> str:
        """Runs Python code without files and network; returns what it prints and its `answer`.

        Args:
            code: the code; `retrieved_resources` holds lists of all retrieved resources by type,
                and the variable `answer` is the result.
        """
        values = {"retrieved_resources": retriever.values()}
        ran = await to_thread(run_snippet, code, values, _PROCESSES, BOUNDS)
        if ran.error:
            raise ToolError(ran.error)
        return as_json({"printed": ran.printed, "answer": ran.answer})

    return tool(execute_python_code)


def summary(found: dict[str, list[Resource]]) -> str:
    """The number of resources of each type, and the first ones."""
    return as_json(
        {type: {"number": len(each), "first": each[:_SHOWN]} for type, each in found.items()}
    )


def tools_of(strategy: str, retriever: Retriever) -> list[Tool]:
    """The tools of a strategy, such as `multi-code`."""
    means = strategy.partition("-")[2]
    if means == "request":
        return request_tools(retriever)
    show = summary if means == "code" else as_json
    code = [code_tool(retriever)] if means == "code" else []
    return [*resource_tools(retriever, show), *code]
