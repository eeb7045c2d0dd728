"""The tools of an agent, by strategy; results are Python's text of dictionaries, as published."""

from asyncio import to_thread
from collections.abc import Callable

from wardround.benchmarks.fhiragentbench.retriever import Found, Retriever
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, tool
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.snippets.run import ENTRY, run_snippet

CODE_SECONDS = 60
BOUNDS = Bounds(computing=CODE_SECONDS, silent=CODE_SECONDS, whole=CODE_SECONDS, memory=1 << 30)
CODE = "execute_python_code"
NOT_SET = "The code has set no variable named answer."
_PROCESSES = ForkServer(ENTRY)


def request_tool(retriever: Retriever) -> Tool:
    """The tool that sends a request as it is."""

    async def fhir_request_get(query_string: str) -> str:
        """Sends a GET request to the FHIR server; returns the resources on its first page by type.

        Args:
            query_string: the path below the server's base with its parameters.
        """
        return await _retrieved(retriever.request, str, query_string)

    return tool(fhir_request_get, role="request_path")


def patient_tool(retriever: Retriever, show: Callable[[Found], str]) -> Tool:
    """The tool that finds resources by their patient.

    Args:
        retriever: retrieves and keeps.
        show: the text of a result that the agent reads.
    """

    async def get_resources_by_patient_fhir_id(resource_type: str, patient_fhir_id: str) -> str:
        """Returns all resources of a type that belong to a patient.

        Args:
            resource_type: the resources' type.
            patient_fhir_id: the patient's FHIR id.
        """
        return await _retrieved(retriever.by_patient, show, resource_type, patient_fhir_id)

    return tool(get_resources_by_patient_fhir_id, role="find_resources_of_patient")


def id_tool(retriever: Retriever, show: Callable[[Found], str]) -> Tool:
    """The tool that finds a resource by its id.

    Args:
        retriever: retrieves and keeps.
        show: the text of a result that the agent reads.
    """

    async def get_resources_by_resource_id(resource_type: str, resource_id: str) -> str:
        """Returns the resource with an id.

        Args:
            resource_type: the resource's type.
            resource_id: its FHIR id.
        """
        return await _retrieved(retriever.by_id, show, resource_type, resource_id)

    return tool(get_resources_by_resource_id)


def code_tool(retriever: Retriever) -> Tool:
    """The tool that runs Python on kept results."""

    async def execute_python_code(code: str, timeout: int = CODE_SECONDS) -> str:  # noqa: ASYNC109
        """Runs Python code without files and network; returns its variable `answer`.

        Args:
            code: the code; `retrieved_resources` holds lists of resources by type, `answer` is
                None at first, and json, re, datetime, math and statistics are imported. Printed
                text is not returned.
            timeout: not enforced; code runs 60 s at most.
        """
        values = {"retrieved_resources": retriever.kept, "answer": None}
        ran = await to_thread(run_snippet, code, values, _PROCESSES, BOUNDS)
        if ran.error or not ran.answer:
            return _error(ran.error or NOT_SET)
        return f"{{'answer': {ran.answer}}}"

    return tool(execute_python_code, role="run_code")


def tools_of(strategy: str, retriever: Retriever) -> list[Tool]:
    """The tools of a strategy, such as `multi-code`."""
    often, _, means = strategy.partition("-")
    if means == "request":
        return [request_tool(retriever)]
    show = _type_counts if means == "code" else str
    tools = [patient_tool(retriever, show)]
    tools += [id_tool(retriever, show)] if often == "multi" else []
    return [*tools, code_tool(retriever)] if means == "code" else tools


async def _retrieved(
    retrieve: Callable[..., Found], show: Callable[[Found], str], *arguments: str
) -> str:
    try:
        return show(await to_thread(retrieve, *arguments))
    except ToolError as error:
        return _error(str(error))


def _type_counts(by_type: Found) -> str:
    """The number of resources of each type, which is all that agents with code read of them."""
    lines = [
        f"retrieved_fhir_resources['{type}'] ({len(each)} items)" for type, each in by_type.items()
    ]
    return "\n".join(lines) or str(by_type)


def _error(reason: str) -> str:
    return str({"error": reason})
