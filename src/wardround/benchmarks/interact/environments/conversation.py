"""The environment of c-Interact: questions, then SQL, one more try, and the follow-up."""

from asyncio import to_thread

from wardround.benchmarks.interact.environments.trial_state import TrialState
from wardround.benchmarks.kit.agent_texts import error_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.people.clarifying.questions import Questions, Seen

NO_MORE = "I cannot answer more questions. Please submit your SQL now."
AGAIN = "You may submit once more."
NEXT = "That is right, thank you. One more thing: "
THANKS = "That is right, thank you."
GOODBYE = "That is still not right. Let us leave it there."

# A request gets a first answer and, after feedback, one more (4.1).
_TRIES = 2


class ConversationEnvironment:
    """The user answers one question a turn while patience lasts, and then wants SQL (4.1).

    Args:
        briefing: the agent's instructions, with schema and knowledge.
        state: the trial's database and requests.
        user: answers questions.
        submit: the tool that takes SQL, which checks its arguments.
        allowed: the number of questions that the user answers.
        request: the first observation's text.
    """

    def __init__(
        self,
        briefing: Briefing,
        state: TrialState,
        user: Questions,
        submit: Toolbox,
        allowed: int,
        request: str,
    ) -> None:
        self.briefing = briefing
        self._state = state
        self._user = user
        self._submit = submit
        self._left = allowed
        self._request = request
        self._seen = Seen(briefing.rules)

    async def start(self) -> Observation:
        """Prepares the database and returns the request."""
        await self._state.open()
        return self._says(self._request)

    async def step(self, action: Action) -> Observation:
        """Returns the answer to a question, or the user's reply to submitted SQL."""
        match action:
            case Say(question):
                return await self._answer(question)
            case Call() as call:
                return await self._judge(call)

    async def close(self) -> None:
        """Drops the trial's database."""
        await to_thread(self._state.close)

    async def _answer(self, question: str) -> Observation:
        if self._left == 0 or self._state.submissions:
            return self._says(NO_MORE)
        self._left -= 1
        self._seen.add(question)
        reply = await self._user.answer(self._state.stage, question, self._seen.names)
        return self._says(reply)

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._submit.run(call)
        except ToolError as refusal:
            return Observation(
                error_text(refusal), "tool", budget=float(self._left), stage=self._state.stage
            )
        stage = self._state.stage
        grade = await self._state.submit(sql)
        if self._state.done:
            return self._says(THANKS, done=True)
        if self._state.stage != stage:
            return self._says(NEXT + self._state.subtask.request)
        if self._state.tries == _TRIES:
            return self._says(GOODBYE, done=True)
        return self._says(f"{grade.feedback} {AGAIN}")

    def _says(self, text: str, *, done: bool = False) -> Observation:
        """The user's words, with the number of questions left while one may be asked (4.1)."""
        self._seen.add(text)
        if not done and not self._state.submissions:
            text = f"{text}\n[Questions left: {self._left}]"
        left, stage = float(self._left), self._state.stage
        return Observation(text, "user", done=done, budget=left, stage=stage)
