"""The agent that knows the gold: it shows that a task can be passed at all."""

from typing import Any

from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatTask
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing

ROWS = 1000


class OracleAgent:
    """Runs the gold query once the user has spoken, then gives the gold answer until the end."""

    def __init__(self, hidden: ChatHidden) -> None:
        self._hidden = hidden
        self._queried = False

    async def act(self, observation: Observation) -> Action:
        """The gold query first, the gold answer ever after."""
        if not self._queried:
            self._queried = True
            return Call("sql_execute", {"query": self._hidden.gold_sql, "k": ROWS})
        return Say(f"This is what I found: <answer>{as_text(self._hidden.gold_answer)}</answer>")


def as_text(rows: tuple[tuple[Any, ...], ...]) -> str:
    """Rows as a person would be told them: cells and rows set apart by commas."""
    return ", ".join(str(cell) for row in rows for cell in row)


def oracle(task: ChatTask) -> AgentMaker:
    """Agents that know this task's gold."""

    def make(briefing: Briefing, context: AgentContext) -> OracleAgent:
        return OracleAgent(task.hidden)

    return make
