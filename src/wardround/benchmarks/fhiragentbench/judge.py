"""Judges answers: by a program, and by a language model if one is named."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from pydantic import BaseModel

from wardround.benchmarks.fhiragentbench import answers, prompts
from wardround.benchmarks.fhiragentbench.scorer import CORRECT, JUDGE, PROGRAM, answer_text
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import MalformedAnswerError
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import State, Verdict, state_of, verdict_key
from wardround.models import LanguageModel, Message
from wardround.models.prompts import fill

_VERSION = 2
_REASONS = {
    "passed": "",
    "failed": "its values are not those of the true answer",
    "undecided": "it has no line of the answer's values",
}
TOO_LONG = "Input tokens exceeded"
NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Graders:
    """The model that judges answers; None where the program alone does."""

    judge: LanguageModel | None


class Answered(BaseModel):
    """True if the text states an answer, false if it says that there is none."""

    answered: bool


class Correct(BaseModel):
    """True if the answer is right."""

    correct: bool


async def verdicts(
    task: FhirTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Yields the program's verdict on the answer, and the model's if there is one."""
    text, gold = answer_text(trajectory), as_json(task.hidden.answer)
    state = answers.state(text, task.hidden.answer)
    key = verdict_key(PROGRAM, text, gold)
    yield Verdict(CORRECT, PROGRAM, state, reason=_REASONS[state], key=key)
    model = graders.judge
    if model is None or not text:
        return
    key = verdict_key(JUDGE, _VERSION, str(model.settings), task.public.text, text, gold)
    if not context.has(key):
        decided, reason = await judged(model, task, text, context)
        yield Verdict(CORRECT, JUDGE, decided, reason=reason, key=key)


async def judged(
    model: LanguageModel, task: FhirTask, text: str, context: JudgeContext
) -> tuple[State, str]:
    """The judge's decision on an answer, in at most two requests, with its reason.

    If the agent gives no answer and the question has no true resources, the answer is right without
    a second request. In all other cases there is one, after "no answer" too.

    Raises:
        InfraError: the model's provider fails.
    """
    if TOO_LONG in text:
        return "failed", "the agent's input was too long"
    asker = model.bind("judge", context.record, context.seed)
    asked = f"Question: {task.public.text}\nThe agent's answer: {text}"
    try:
        answered = (await asker.structured(_messages("answered.md", asked), Answered)).answered
    except MalformedAnswerError:
        answered = True
    if not answered and not task.hidden.ids:
        return "passed", "decided by whether it answers"
    truth = as_json(task.hidden.answer) if task.hidden.ids else NO_ANSWER
    both = f"{asked}\nThe true answer: {truth}"
    try:
        correct = (await asker.structured(_messages("correct.md", both), Correct)).correct
    except MalformedAnswerError:
        return "undecided", "the judge's answer has no readable form"
    return state_of(correct), "decided by its values"


def _messages(prompt: str, text: str) -> list[Message]:
    return [Message("user", f"{fill(prompts.__name__, prompt)}\n\n{text}")]
