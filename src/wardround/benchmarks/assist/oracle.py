"""The agent that knows the gold: it makes the gold calls, prepares and gives the gold answers."""

from collections.abc import Iterator

from wardround.benchmarks.assist.sessions import PREPARE, GoldTurn, Language, Session
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker


class OracleAgent:
    """Repeats the gold of each turn."""

    def __init__(self, actions: Iterator[Action]) -> None:
        self._actions = actions

    async def act(self, observation: Observation) -> Action:
        """The next gold call or answer."""
        return next(self._actions)


def oracle(task: Session, language: Language) -> AgentMaker:
    """Agents that know this session's gold."""
    return lambda briefing, context: OracleAgent(_actions(task, language))


def _actions(task: Session, language: Language) -> Iterator[Action]:
    for turn in task.hidden.turns:
        for call in turn.calls:
            yield Call(call.tool, dict(call.arguments))
        yield Call(PREPARE, {"answer_type": _answer_type(turn)})
        yield Say(turn.answers[language])


def _answer_type(turn: GoldTurn) -> str:
    return "tool" if turn.calls else "chat"
