"""The forms in which requests, writes and answers are sent: text, or tools by their parameters."""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

import orjson

from wardround.core.actions import Action, Say
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
        patient = {"patient": self.patient} if self.patient and self.type != "Patient" else {}
        pairs = {**patient, **(self.parameters or {}), "_count": "1000"}
        return f"{self.type}?{urlencode(pairs, quote_via=quote, safe='|:')}"


class Channel:
    """Writes actions in the form that a briefing asks for by its tools and base address."""

    def __init__(self, briefing: Briefing) -> None:
        self._base = briefing.facts.get("base", "")
        self._briefing = briefing
        self.runs_code = briefing.has_tool("run_code")

    def search(self, search: Search) -> Action:
        """The action that searches."""
        tools = self._briefing
        if tools.has_tool("request_path"):
            return tools.tool("request_path").call(search.path)
        if tools.has_tool("find_resources_of_patient"):
            return tools.tool("find_resources_of_patient").call(search.type, search.patient)
        url = self._base + search.path
        if tools.has_tool("request_address"):
            return tools.tool("request_address").call(url)
        return Say(f"GET {url}")

    def retrieved(self) -> Action:
        """The code that returns all that was retrieved."""
        code = "import json\nanswer = json.dumps(retrieved_resources)"
        return self._briefing.tool("run_code").call(code)

    def write(self, resource: Resource) -> Action:
        """The action that creates a resource."""
        url, body = self._base + resource["resourceType"], orjson.dumps(resource).decode()
        if self._briefing.has_tool("post_resource"):
            return self._briefing.tool("post_resource").call(url, body)
        return Say(f"POST {url}\n{body}")

    def answer(self, values: Answer) -> Action:
        """The action that ends the task."""
        text = orjson.dumps(values).decode()
        if self._briefing.has_tool("give_answers"):
            return self._briefing.tool("give_answers").call(text)
        if self._base:
            return Say(f"FINISH({text})")
        return Say(f"The final answer is: {text if values else 'no answer'}")


def resources_in(text: str) -> list[Resource] | None:
    """The resources in a tool's answer, whatever they are wrapped in; None if it is an error.

    >>> resources_in('Got: {"entry": [{"resource": {"resourceType": "Flag"}}]} Go on.')
    [{'resourceType': 'Flag'}]
    >>> resources_in("{'answer': [{'resourceType': 'Flag'}]}")
    [{'resourceType': 'Flag'}]
    """
    start = min((place for sign in "{[" if (place := text.find(sign)) >= 0), default=len(text))
    try:
        found = list(_resources(_value_in(text, start)))
    except (ValueError, SyntaxError):
        return None
    failed = any(each["resourceType"] == "OperationOutcome" for each in found)
    return None if failed else found


def _value_in(text: str, start: int) -> Any:
    """The JSON that begins at a place in a text, or the Python literal up to its end."""
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except ValueError:
        return ast.literal_eval(text[start:])


def _resources(node: Any) -> Iterator[Resource]:
    if isinstance(node, str) and node.startswith("{"):  # what code returned
        yield from _resources(orjson.loads(node))
    elif isinstance(node, list):
        for item in node:
            yield from _resources(item)
    elif isinstance(node, dict) and node.get("resourceType") not in (None, "Bundle"):
        yield node
    elif isinstance(node, dict):
        for item in node.values():
            yield from _resources(item)
