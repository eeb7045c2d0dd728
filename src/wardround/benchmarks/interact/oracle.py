"""The oracle agent of BIRD-Interact, which submits the gold of each request."""

from wardround.benchmarks.interact.tasks import InteractHidden, InteractTask
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentMaker


class OracleAgent:
    """Submits the gold of each request without asking."""

    def __init__(self, hidden: InteractHidden) -> None:
        self._golds = iter([";\n".join(request.gold) for request in hidden.requests.values()])

    async def act(self, observation: Observation) -> Action:
        """Returns the submission of the next gold."""
        return Call("submit", {"sql": next(self._golds, "SELECT 1")})


def oracle(task: InteractTask) -> AgentMaker:
    """Makes agents that know this task's gold."""
    return lambda briefing, context: OracleAgent(task.hidden)
