"""The agent that knows the gold: it submits it, or abstains where there is none."""

from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing


class OracleAgent:
    """Ends the task at once."""

    def __init__(self, gold: str) -> None:
        self._gold = gold

    async def act(self, observation: Observation) -> Action:
        """The gold query, or that there is none."""
        if self._gold == NULL:
            return Call(ABSTAIN, {"reason": "there is no gold"})
        return Call(SUBMIT, {"query": self._gold})


def oracle(task: EhrsqlTask) -> AgentMaker:
    """Agents that know this task's gold; without a label they abstain."""
    gold = task.hidden.gold or NULL

    def make(briefing: Briefing, context: AgentContext) -> OracleAgent:
        return OracleAgent(gold)

    return make
