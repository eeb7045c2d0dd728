"""The agent that knows the gold: it posts what is expected, and finishes with the answers."""

from collections.abc import Callable
from typing import Any

from wardround.benchmarks.kit.agent_texts import as_json
from wardround.benchmarks.medagentbench.references import Reference, Write
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing


class OracleAgent:
    """Writes and answers as expected, in the protocol of the run.

    Args:
        expected: the gold.
        briefing: its tools tell the protocol.
    """

    def __init__(self, expected: Reference, briefing: Briefing) -> None:
        self._writes = list(expected.writes)
        self._answers = as_json(list(expected.answer or ()))
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


def oracle(expected: Callable[[], Reference]) -> AgentMaker:
    """Agents that know what a task expects; it is looked up when the agent is made."""
    return lambda briefing, context: OracleAgent(expected(), briefing)


def payload(write: Write) -> dict[str, Any]:
    """A resource with the expected elements.

    >>> from wardround.benchmarks.medagentbench.references import Field
    >>> payload(Write("Flag", (Field(("code", "coding", 0, "code"), "x"),)))
    {'resourceType': 'Flag', 'code': {'coding': [{'code': 'x'}]}}
    """
    resource: dict[str, Any] = {"resourceType": write.type}
    for field in write.fields:
        value = f"{field.value}00:00+00:00" if field.test == "starts" else field.value
        _put(resource, field.path, value)
    return resource


def _put(node: Any, path: tuple[str | int, ...], value: Any) -> None:
    step, *rest = path
    if not rest:
        node[step] = value
        return
    empty: Any = [] if isinstance(rest[0], int) else {}
    if isinstance(node, list):
        if len(node) <= int(step):
            node.append(empty)
        _put(node[int(step)], tuple(rest), value)
    else:
        _put(node.setdefault(step, empty), tuple(rest), value)
