"""The agent that knows the gold: it posts what is expected, and finishes with the answers."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from wardround.benchmarks.kit.agent_texts import as_json
from wardround.benchmarks.medagentbench.expected_writes import Path, Write
from wardround.benchmarks.medagentbench.protocol import NOW
from wardround.benchmarks.medagentbench.references import Golds
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing

# Whole values of elements of which the golds have a part.
_WHOLE: Mapping[Path, str] = {
    ("authoredOn",): NOW,
    ("occurrenceDateTime",): "2023-11-14T08:00:00+00:00",
}


class OracleAgent:
    """Writes and answers as expected, in the protocol of the run.

    If the gradings have different golds, it follows the strict one.

    Args:
        golds: the golds.
        briefing: its tools tell the protocol.
    """

    def __init__(self, golds: Golds, briefing: Briefing) -> None:
        accepted = [gold for gold in golds.strict if gold == golds.paper] or golds.strict
        self._writes = [write for gold in accepted[:1] for write in gold.writes]
        self._answers = as_json([answer for gold in accepted[:1] for answer in gold.answer or ()])
        self._calls = bool(briefing.tools)

    async def act(self, observation: Observation) -> Action:
        """The next write, or the end."""
        if self._writes:
            write = self._writes.pop(0)
            body = as_json(payload(write))
            if self._calls:
                return Call("post", {"url": write.url, "body": body})
            return Say(f"POST {write.url}\n{body}")
        if self._calls:
            return Call("finish", {"answers": self._answers})
        return Say(f"FINISH({self._answers})")


def oracle(expected: Callable[[], Golds]) -> AgentMaker:
    """Agents that know what a task expects; it is looked up when the agent is made."""
    return lambda briefing, context: OracleAgent(expected(), briefing)


def payload(write: Write) -> dict[str, Any]:
    """A resource with the expected elements.

    >>> from wardround.benchmarks.medagentbench.expected_writes import Field
    >>> payload(Write("Flag", (Field(("code", "coding", 0), {"code": "x"}, "has"),)))
    {'resourceType': 'Flag', 'code': {'coding': [{'code': 'x'}]}}
    """
    resource: dict[str, Any] = {"resourceType": write.type}
    for field in write.fields:
        if field.test != "single":
            _put(resource, field.path, deepcopy(_WHOLE.get(field.path, field.value)))
    return resource


def _put(node: Any, path: Path, value: Any) -> None:
    step, *rest = path
    empty: Any = [] if rest and isinstance(rest[0], int) else {}
    if isinstance(node, list) and len(node) <= int(step):
        node.append(empty)
    elif isinstance(node, dict):
        node.setdefault(step, empty)
    if rest:
        _put(node[step], tuple(rest), value)
    else:
        node[step] = value
