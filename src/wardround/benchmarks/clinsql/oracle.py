"""The agent that knows the gold query and submits it."""

from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.tools import SUBMIT
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentMaker


class OracleAgent:
    """Submits the gold query."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    async def act(self, observation: Observation) -> Action:
        """The gold query."""
        return Call(SUBMIT, {"query": self._sql})


def oracle(task: ClinTask) -> AgentMaker:
    """Agents that know this task's gold."""
    return lambda briefing, context: OracleAgent(task.hidden.sql)
