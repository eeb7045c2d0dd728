"""The oracle agent of EHRSQL, which submits the gold, or abstains if there is none."""

from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing


class OracleAgent:
    """Submits the gold query, or abstains, with its first action."""

    def __init__(self, gold: str) -> None:
        self._gold = gold

    async def act(self, observation: Observation) -> Action:
        """Returns the call that ends the task."""
        if self._gold == NULL:
            return Call(ABSTAIN, {"reason": "there is no gold"})
        return Call(SUBMIT, {"query": self._gold})


def oracle(task: EhrsqlTask) -> AgentMaker:
    """Makes agents that know this task's gold; without a label they abstain."""
    gold = task.hidden.gold or NULL

    def make(briefing: Briefing, context: AgentContext) -> OracleAgent:
        return OracleAgent(gold)

    return make
