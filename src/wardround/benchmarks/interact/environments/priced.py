"""The environment of a-Interact: every action has its price, and the budget ends the trial."""

from asyncio import to_thread

from wardround.benchmarks.interact.environments.trial_state import TrialState
from wardround.benchmarks.interact.prices import ASK, EXECUTE, PRICES, price_by_tokens, tokens
from wardround.benchmarks.kit.agent_texts import as_json, error_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.limits import Budget
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.people.clarifying.questions import Questions, Seen

TO_WHOM = "The user hears questions through the action ask only."
SPENT = "There is not enough left for that. Submit your SQL now: nothing else is carried out."
NEXT = "That is right, thank you. One more thing: "
THANKS = "That is right, thank you."
GOODBYE = "The budget is spent, and this was the last submission."


class PricedEnvironment:
    """The agent explores, asks and submits as it likes while its budget lasts (4.2, J).

    An action that costs more than what is left is not carried out; the result of an agent's own
    action, whose price depends on it, is then withheld (J.2). One submission is still accepted
    afterwards, whatever it costs, and is the last; so is one that costs all that is left, or more.

    Args:
        briefing: the agent's instructions.
        state: the trial's database and requests.
        user: answers questions.
        tools: all actions; `ask` and `submit` return their argument.
        budget: what may be spent; None where actions are free.
    """

    def __init__(
        self,
        briefing: Briefing,
        state: TrialState,
        user: Questions,
        tools: Toolbox,
        budget: Budget | None,
    ) -> None:
        self.briefing = briefing
        self._state = state
        self._user = user
        self._tools = tools
        self._budget = budget
        self._prices = {spec.name: spec.price for spec in tools.specs}
        self._seen = Seen(briefing.rules)
        self._forced = False

    async def start(self) -> Observation:
        """Prepares the database and returns the request."""
        await self._state.open()
        return self._tells(self._state.subtask.request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out an action and returns its result, with what is left of the budget."""
        match action:
            case Say():
                return self._tells(TO_WHOM, "environment")
            case Call(tool="submit") as call:
                self._forced = self._forced or not self._paid(call) or self._spent
                return await self._judge(call)
            case Call() as call if self._forced or not self._paid(call):
                return self._ask_for_submission()
            case Call() as call:
                return await self._use(call)

    async def close(self) -> None:
        """Drops the trial's database."""
        await to_thread(self._state.close)

    def _paid(self, call: Call) -> bool:
        return self._budget is None or self._budget.spend(self._prices.get(call.tool, 0.0))

    @property
    def _spent(self) -> bool:
        return self._budget is not None and self._budget.remaining <= 0

    def _paid_for(self, call: Call, text: str) -> bool:
        """Pays for an action that Table 9 does not have, by the size of its input and output (J.2).

        One that runs a statement of the agent's costs what `execute` does.
        """
        arguments = as_json(call.arguments)
        runs = self._state.executed in call.arguments.values()
        price = PRICES[EXECUTE] if runs else price_by_tokens(tokens(arguments), tokens(text))
        return self._budget is None or self._budget.spend(price)

    def _ask_for_submission(self) -> Observation:
        """Asks for the last submission; ends the trial if that was asked before."""
        again, self._forced = self._forced, True
        return self._tells(SPENT, "environment", done=again)

    async def _use(self, call: Call) -> Observation:
        self._state.executed = ""
        try:
            text = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool")
        if call.tool not in PRICES and not self._paid_for(call, text):
            return self._ask_for_submission()
        if call.tool != ASK:
            return self._tells(text, "tool")
        self._seen.add(text)
        reply = await self._user.answer(self._state.stage, text, self._seen.names)
        return self._tells(reply, "user")

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool", done=self._forced)
        stage = self._state.stage
        grade = await self._state.submit(sql)
        if self._state.done:
            return self._tells(THANKS, "user", done=True)
        if self._forced:
            return self._tells(GOODBYE, "user", done=True)
        if self._state.stage != stage:
            return self._tells(NEXT + self._state.subtask.request, "user")
        return self._tells(grade.feedback, "user")

    def _tells(self, text: str, source: str, *, done: bool = False) -> Observation:
        self._seen.add(text)
        left = None if self._budget is None else self._budget.remaining
        if left is not None:
            text = f"{text}\n[Budget left: {left:g}]"
        return Observation(text, source, done=done, budget=left, stage=self._state.stage)
