"""The agent that knows the gold: it submits it, and then that of what follows."""

from wardround.benchmarks.interact.tasks import InteractHidden, InteractTask
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentMaker


class OracleAgent:
    """Asks nothing; each request is done by the statements of its gold."""

    def __init__(self, hidden: InteractHidden) -> None:
        self._golds = iter([";\n".join(request.gold) for request in hidden.requests.values()])

    async def act(self, observation: Observation) -> Action:
        """The gold of the request that is being worked on."""
        return Call("submit", {"sql": next(self._golds, "SELECT 1")})


def oracle(task: InteractTask) -> AgentMaker:
    """Agents that know this task's gold."""
    return lambda briefing, context: OracleAgent(task.hidden)
