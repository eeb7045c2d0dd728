"""The oracle agent of EHR-ChatQA, which knows the gold and must pass every task."""

from wardround.benchmarks.chatqa.answers import as_digits, value_text
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatTask
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.scoring.results import Rows

ROWS = 1000


class OracleAgent:
    """Runs the gold query after the user's first message, then repeats the gold answer."""

    def __init__(self, hidden: ChatHidden) -> None:
        self._hidden = hidden
        self._queried = False

    async def act(self, observation: Observation) -> Action:
        """Returns the gold query on the first call, then the gold answer."""
        if not self._queried:
            self._queried = True
            return Call("sql_execute", {"query": self._hidden.gold_sql, "k": ROWS})
        return Say(f"This is what I found: <answer>{as_text(self._hidden.gold_answer)}</answer>")


def as_text(gold: Rows) -> str:
    """Formats a gold answer: the first value of each row, comma separated.

    Several numbers are written in digits, since the published grader accepts a number in words
    only as the whole answer.

    >>> as_text([("ten",)]), as_text([("ten", 1), ("aspirin", 2)])
    ('ten', '10, aspirin')
    """
    values = [value_text(row[0]) for row in gold]
    return values[0] if len(values) == 1 else ", ".join(as_digits(v.lower()) for v in values)


def oracle(task: ChatTask) -> AgentMaker:
    """Makes agents that know this task's gold."""

    def make(briefing: Briefing, context: AgentContext) -> OracleAgent:
        return OracleAgent(task.hidden)

    return make
