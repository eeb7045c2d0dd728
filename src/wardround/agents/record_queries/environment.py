"""A question to a language model: it ends with a query that ran, or with the model's refusal."""

from wardround.agents.record_queries.tools import ABSTAIN, SUBMIT
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox

NOBODY = "Nobody is listening: call a tool, and end with submit_sql or abstain."


class RecordEnvironment:
    """Asks one question.

    Attributes:
        query: The query that was submitted and ran; None before.
        reason: Why the model abstained.
    """

    def __init__(self, rules: str, question: str, tools: Toolbox) -> None:
        self.briefing = Briefing(rules, tools.specs)
        self.query: str | None = None
        self.reason = ""
        self._question = question
        self._tools = tools

    async def start(self) -> Observation:
        """The question."""
        return Observation(self._question, "user")

    async def step(self, action: Action) -> Observation:
        """The result of a tool; a query that fails is no answer."""
        match action:
            case Say():
                return Observation(NOBODY, "environment")
            case Call(tool, arguments):
                try:
                    text = await self._tools.run(action)
                except ToolError as error:
                    return Observation(f"Error: {error}", "tool")
                if tool == SUBMIT:
                    self.query = str(arguments["query"])
                elif tool == ABSTAIN:
                    self.reason = str(arguments.get("reason", ""))
                return Observation(text, "tool", done=tool in (SUBMIT, ABSTAIN))

    async def close(self) -> None:
        """Does nothing: the database belongs to the caller."""
