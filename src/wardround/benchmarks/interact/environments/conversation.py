"""The room of c-Interact: questions to the user, then SQL, one more chance, and what follows."""

from asyncio import to_thread

from wardround.benchmarks.interact.environments.trial_state import Case
from wardround.benchmarks.kit.tool_results import error_text
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.people.clarifying.questions import Questions
from wardround.people.clarifying.seen_names import Seen

NO_MORE = "I cannot answer more questions. Please submit your SQL now."
AGAIN = "You may submit once more."
NEXT = "That is right, thank you. One more thing: "
THANKS = "That is right, thank you."
GOODBYE = "That is still not right. Let us leave it there."

# A request gets a first answer and, after feedback, one more (4.1).
_TRIES = 2


class ConversationRoom:
    """The user answers one question a turn while patience lasts, and then wants SQL (4.1).

    Args:
        briefing: What the agent is told: schema and knowledge among it.
        case: The trial's database and requests.
        user: Answers questions.
        submit: The tool that takes SQL, for the form of its arguments.
        allowed: How many questions the user answers.
        request: What the agent hears first.
    """

    def __init__(
        self,
        briefing: Briefing,
        case: Case,
        user: Questions,
        submit: Toolbox,
        allowed: int,
        request: str,
    ) -> None:
        self.briefing = briefing
        self._case = case
        self._user = user
        self._submit = submit
        self._left = allowed
        self._request = request
        self._seen = Seen(briefing.rules)

    async def start(self) -> Observation:
        """The request."""
        await self._case.open()
        return self._says(self._request)

    async def step(self, action: Action) -> Observation:
        """The answer to a question, or what the user makes of submitted SQL."""
        match action:
            case Say(question):
                return await self._answer(question)
            case Call() as call:
                return await self._judge(call)

    async def close(self) -> None:
        """Forgets the trial's database."""
        await to_thread(self._case.close)

    async def _answer(self, question: str) -> Observation:
        if self._left == 0 or self._case.submissions:
            return self._says(NO_MORE)
        self._left -= 1
        self._seen.add(question)
        reply = await self._user.answer(self._case.stage, question, self._seen.names)
        return self._says(reply)

    async def _judge(self, call: Call) -> Observation:
        try:
            sql = await self._submit.run(call)
        except ToolError as refusal:
            return Observation(
                error_text(refusal), "tool", budget=float(self._left), stage=self._case.stage
            )
        stage = self._case.stage
        grade = await self._case.submit(sql)
        if self._case.done:
            return self._says(THANKS, done=True)
        if self._case.stage != stage:
            return self._says(NEXT + self._case.subtask.request)
        if self._case.tries == _TRIES:
            return self._says(GOODBYE, done=True)
        return self._says(f"{grade.feedback} {AGAIN}")

    def _says(self, text: str, *, done: bool = False) -> Observation:
        """What the user says; how many questions are left is told while one may be asked (4.1)."""
        self._seen.add(text)
        told = text if done or self._case.submissions else f"{text}\n[Questions left: {self._left}]"
        left, stage = float(self._left), self._case.stage
        return Observation(told, "user", done=done, budget=left, stage=stage)
