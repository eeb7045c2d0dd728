"""A question to a language model: it ends with a query that ran, or with the model's refusal."""

from wardround.agents.record_queries.tools import ABSTAIN, SUBMIT
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox

NOBODY = "Nobody is listening: call a tool, and end with submit_sql or abstain."
_SAME = 3  # submissions of the same query that fails


class RecordEnvironment:
    """Asks one question.

    Attributes:
        query: The query that was submitted and ran; None before.
        reason: Why the model abstained.
        failed: The queries that were submitted and did not run, with their errors.
    """

    def __init__(self, rules: str, question: str, tools: Toolbox) -> None:
        self.briefing = Briefing(rules, tools.specs)
        self.query: str | None = None
        self.reason = ""
        self.failed: list[tuple[str, str]] = []
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
                    done = tool == SUBMIT and self._is_stuck(str(arguments["query"]), str(error))
                    return Observation(f"Error: {error}", "tool", done=done)
                if tool == SUBMIT:
                    self.query = str(arguments["query"])
                elif tool == ABSTAIN:
                    self.reason = str(arguments.get("reason", ""))
                return Observation(text, "tool", done=tool in (SUBMIT, ABSTAIN))

    def _is_stuck(self, query: str, error: str) -> bool:
        """True if a query has failed as often as it is worth hearing why."""
        self.failed.append((query, error))
        return self.failed.count((query, error)) >= _SAME

    async def close(self) -> None:
        """Does nothing: the database belongs to the caller."""
