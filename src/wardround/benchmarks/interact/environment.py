"""The environments of c-Interact (conversation) and a-Interact (actions at a price)."""

from asyncio import to_thread
from math import inf

from wardround.benchmarks.interact.prices import ASK, EXECUTE, PRICES, SUBMIT, price_by_tokens
from wardround.benchmarks.interact.trial_state import TrialState
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.limits import Budget
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox, error_text
from wardround.people.clarifying.questions.recorded import Questions

NO_MORE = "I cannot answer more questions. Please submit your SQL now."
AGAIN = "You may submit once more."
GOODBYE = "That is still not right. Let us leave it there."

TO_WHOM = "The user hears questions through the action ask only."
SPENT = "There is not enough left for that. Submit your SQL now: nothing else is carried out."
LAST = "The budget is spent, and this was the last submission."

# A request of the conversation allows a second submission after feedback (4.1).
_TRIES = 2


class ConversationEnvironment:
    """A conversation: the user answers a limited number of questions, then wants SQL (4.1).

    Args:
        briefing: the agent's instructions, with schema and knowledge.
        state: the trial's database and requests.
        user: answers questions.
        submit: a toolbox with the tool `submit`.
        questions: the number of questions that the user answers.
        request: the text of the first observation.
    """

    def __init__(
        self,
        briefing: Briefing,
        state: TrialState,
        user: Questions,
        submit: Toolbox,
        questions: int,
        request: str,
    ) -> None:
        self.briefing = briefing
        self._state = state
        self._user = user
        self._submit = submit
        self._left = questions
        self._request = request

    async def start(self) -> Observation:
        """Prepares the database and returns the request."""
        self._user.seen.add(self.briefing.rules)
        await self._state.open()
        return self._says(self._request)

    async def step(self, action: Action) -> Observation:
        """Returns the answer to a question, or the user's reply to submitted SQL."""
        match action:
            case Call() as call:
                return await self._judge(call)
            case Say() if self._left == 0 or self._state.submissions:
                return self._says(NO_MORE)
            case Say(question):
                self._left -= 1
                return self._says(await self._user.answer(self._state.stage, question))

    async def close(self) -> None:
        """Drops the trial's database."""
        await to_thread(self._state.close)

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._submit.run(call)
        except ToolError as refusal:
            return self._observation(error_text(refusal), "tool")
        reply = await self._state.submit(sql)
        if self._state.done:
            return self._says(reply, done=True)
        if self._state.tries == _TRIES:
            return self._says(GOODBYE, done=True)
        return self._says(f"{reply} {AGAIN}" if self._state.tries else reply)

    def _says(self, text: str, *, done: bool = False) -> Observation:
        """The user's message; before any submission with the number of questions left (4.1)."""
        self._user.seen.add(text)
        if not done and not self._state.submissions:
            text = f"{text}\n[Questions left: {self._left}]"
        return self._observation(text, "user", done=done)

    def _observation(self, text: str, source: str, *, done: bool = False) -> Observation:
        left, stage = float(self._left), self._state.stage
        return Observation(text, source, done=done, budget=left, stage=stage)


class PricedEnvironment:
    """Actions at a price: the agent explores, asks and submits within a budget (4.2, J).

    An action that the budget cannot pay is not carried out; if the price of an agent's own action
    depends on its result, the result is withheld (J.2). One last submission is then accepted at any
    price. A submission that uses up the budget is also the last.

    Args:
        briefing: the agent's instructions.
        state: the trial's database and requests.
        user: answers questions.
        tools: all actions; `ask` and `submit` return their argument.
        budget: the budget; None if actions are free.
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
        self._purse = Budget(inf) if budget is None else budget
        self._prices = {spec.name: spec.price for spec in tools.specs}
        self._forced = False

    async def start(self) -> Observation:
        """Prepares the database and returns the request."""
        self._user.seen.add(self.briefing.rules)
        await self._state.open()
        return self._tells(self._state.subtask.request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out an action and returns its result with the remaining budget."""
        match action:
            case Say():
                return self._tells(TO_WHOM, "environment")
            case Call() as call if call.tool == SUBMIT:
                self._forced = self._forced or not self._pays(call) or self._purse.remaining <= 0
                return await self._judge(call)
            case Call() as call if self._forced or not self._pays(call):
                return self._ask_for_submission()
            case Call() as call:
                return await self._use(call)

    async def close(self) -> None:
        """Drops the trial's database."""
        await to_thread(self._state.close)

    def _ask_for_submission(self) -> Observation:
        """Asks for the last submission; ends the trial if it was already asked for."""
        already_forced, self._forced = self._forced, True
        return self._tells(SPENT, "environment", done=already_forced)

    async def _use(self, call: Call) -> Observation:
        self._state.executed = ""
        try:
            text = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool")
        if call.tool not in PRICES and not self._purse.spend(self._own_price(call, text)):
            return self._ask_for_submission()
        if call.tool != ASK:
            return self._tells(text, "tool")
        return self._tells(await self._user.answer(self._state.stage, text), "user")

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._tools.run(call)
        except ToolError as refusal:
            return self._tells(error_text(refusal), "tool", done=self._forced)
        reply = await self._state.submit(sql)
        text = LAST if self._forced and not self._state.done else reply
        return self._tells(text, "user", done=self._forced or self._state.done)

    def _pays(self, call: Call) -> bool:
        return self._purse.spend(self._prices.get(call.tool, 0.0))

    def _own_price(self, call: Call, text: str) -> float:
        """The price of an agent's own action, by its input and output (J.2).

        An action that runs a statement from its arguments costs as much as `execute`.
        """
        if self._state.executed in call.arguments.values():
            return PRICES[EXECUTE]
        return price_by_tokens(as_json(call.arguments), text)

    def _tells(self, text: str, source: str, *, done: bool = False) -> Observation:
        self._user.seen.add(text)
        left = None if self._budget is None else self._budget.remaining
        if left is not None:
            text = f"{text}\n[Budget left: {left:g}]"
        return Observation(text, source, done=done, budget=left, stage=self._state.stage)
