"""The forms in which requests, writes and answers are sent: text, or tools by their parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import orjson

from wardround.core.actions import Action, Call, Say
from wardround.core.task import Briefing

Resource: TypeAlias = dict[str, Any]
Answer: TypeAlias = tuple[str | int | float, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """A search of a type; `patient` stands beside the other parameters."""

    type: str
    patient: str = ""
    parameters: Mapping[str, str] | None = None

    @property
    def path(self) -> str:
        """The address below the server's base."""
        patient = {"patient": self.patient} if self.patient else {}
        pairs = {**patient, **(self.parameters or {}), "_count": "1000"}
        return f"{self.type}?{urlencode(pairs, quote_via=quote, safe='|:')}"


class Channel:
    """Writes actions in the form that a briefing asks for.

    Args:
        briefing: the tools, and the base address.
    """

    def __init__(self, briefing: Briefing) -> None:
        self._base = briefing.facts.get("base", "")
        self._tools = {tool.name for tool in briefing.tools}

    def search(self, search: Search) -> Action:
        """The action that searches."""
        if "fhir_request_get" in self._tools:
            return Call("fhir_request_get", {"query_string": search.path})
        if "get_resources_by_patient_fhir_id" in self._tools:
            arguments = {"resource_type": search.type, "patient_fhir_id": search.patient}
            return Call("get_resources_by_patient_fhir_id", arguments)
        return self.read(self._base + search.path)

    def read(self, url: str) -> Action:
        """The action that reads an address."""
        return Call("get", {"url": url}) if "get" in self._tools else Say(f"GET {url}")

    def write(self, resource: Resource) -> Action:
        """The action that creates a resource."""
        url, body = self._base + resource["resourceType"], orjson.dumps(resource).decode()
        if "post" in self._tools:
            return Call("post", {"url": url, "body": body})
        return Say(f"POST {url}\n{body}")

    def answer(self, values: Answer) -> Action:
        """The action that ends the task."""
        text = orjson.dumps(values).decode()
        if "finish" in self._tools:
            return Call("finish", {"answers": text})
        if self._base:
            return Say(f"FINISH({text})")
        return Say(f"Answer: {text if values else 'no answer'}")


def resources_in(text: str) -> list[Resource]:
    """The resources in a tool's answer, whatever they are wrapped in.

    >>> resources_in('Status 200: {"entry": [{"resource": {"resourceType": "Flag"}}]}')
    [{'resourceType': 'Flag'}]
    """
    start = min((place for sign in "{[" if (place := text.find(sign)) >= 0), default=-1)
    if start < 0:
        return []
    try:
        return list(_resources(orjson.loads(text[start:])))
    except orjson.JSONDecodeError:
        return []


def _resources(node: Any) -> Iterator[Resource]:
    if isinstance(node, list):
        for item in node:
            yield from _resources(item)
    elif isinstance(node, dict) and node.get("resourceType") not in (None, "Bundle"):
        yield node
    elif isinstance(node, dict):
        for item in node.values():
            yield from _resources(item)
