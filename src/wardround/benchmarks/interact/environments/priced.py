"""The room of a-Interact: every action has its price, and the budget ends it."""

from asyncio import to_thread

from wardround.benchmarks.interact.environments.trial_state import Case
from wardround.benchmarks.interact.prices import ASK, EXECUTE, PRICES, price_by_tokens, tokens
from wardround.benchmarks.kit.tool_results import as_json, error_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.limits import Budget
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.people.clarifying.questions import Questions
from wardround.people.clarifying.seen_names import Seen

TO_WHOM = "The user hears questions through the action ask only."
SPENT = "There is not enough left for that. Submit your SQL now: nothing else is carried out."
NEXT = "That is right, thank you. One more thing: "
THANKS = "That is right, thank you."
GOODBYE = "The budget is spent, and this was the last submission."


class PricedRoom:
    """The agent explores, asks and submits as it likes while its budget lasts (4.2, J).

    An action that costs more than what is left is not carried out; one of the agent's own, whose
    price hangs on what it gives, tells nothing then (J.2). One submission is then still
    taken, whatever it costs, and is the last; so is a submission that costs all that is left, or
    more.

    Args:
        briefing: What the agent is told.
        case: The trial's database and requests.
        user: Answers questions.
        tools: All actions; `ask` and `submit` give back what is asked and submitted.
        budget: What may be spent; None where actions are free.
    """

    def __init__(
        self,
        briefing: Briefing,
        case: Case,
        user: Questions,
        tools: Toolbox,
        budget: Budget | None,
    ) -> None:
        self.briefing = briefing
        self._case = case
        self._user = user
        self._tools = tools
        self._budget = budget
        self._prices = {spec.name: spec.price for spec in tools.specs}
        self._seen = Seen(briefing.rules)
        self._forced = False

    async def start(self) -> Observation:
        """The request."""
        await self._case.open()
        return self._tells(self._case.subtask.request, "user")

    async def step(self, action: Action) -> Observation:
        """What came of an action, with what is left of the budget."""
        match action:
            case Say():
                return self._tells(TO_WHOM, "environment")
            case Call(tool="submit") as call:
                self._forced = self._forced or not self._paid(call) or self._spent
                return await self._judge(call)
            case Call() as call if self._forced or not self._paid(call):
                return self._force()
            case Call() as call:
                return await self._use(call)

    async def close(self) -> None:
        """Forgets the trial's database."""
        await to_thread(self._case.close)

    def _paid(self, call: Call) -> bool:
        return self._budget is None or self._budget.spend(self._prices.get(call.tool, 0.0))

    @property
    def _spent(self) -> bool:
        return self._budget is not None and self._budget.remaining <= 0

    def _paid_for(self, call: Call, text: str) -> bool:
        """Pays for an action that Table 9 does not have, by what went in and came out (J.2).

        One that runs a statement of the agent's costs what `execute` does.
        """
        given = as_json(call.arguments)
        runs = self._case.executed in call.arguments.values()
        price = PRICES[EXECUTE] if runs else price_by_tokens(tokens(given), tokens(text))
        return self._budget is None or self._budget.spend(price)

    def _force(self) -> Observation:
        """Word that only a submission is left; whoever does anything else then is done."""
        again, self._forced = self._forced, True
        return self._tells(SPENT, "environment", done=again)

    async def _use(self, call: Call) -> Observation:
        self._case.executed = ""
        try:
            text = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool")
        if call.tool not in PRICES and not self._paid_for(call, text):
            return self._force()
        if call.tool != ASK:
            return self._tells(text, "tool")
        self._seen.add(text)
        reply = await self._user.answer(self._case.stage, text, self._seen.names)
        return self._tells(reply, "user")

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool", done=self._forced)
        stage = self._case.stage
        grade = await self._case.submit(sql)
        if self._case.done:
            return self._tells(THANKS, "user", done=True)
        if self._forced:
            return self._tells(GOODBYE, "user", done=True)
        if self._case.stage != stage:
            return self._tells(NEXT + self._case.subtask.request, "user")
        return self._tells(grade.feedback, "user")

    def _tells(self, text: str, source: str, *, done: bool = False) -> Observation:
        self._seen.add(text)
        left = None if self._budget is None else self._budget.remaining
        told = text if left is None else f"{text}\n[Budget left: {left:g}]"
        return Observation(told, source, done=done, budget=left, stage=self._case.stage)
