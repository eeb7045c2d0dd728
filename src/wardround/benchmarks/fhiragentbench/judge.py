"""The judge of answers: is there one, and is it right."""

from pydantic import BaseModel

from wardround.benchmarks.fhiragentbench import prompts
from wardround.benchmarks.fhiragentbench.answers import values
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import MalformedAnswerError
from wardround.core.verdict import State, state_of
from wardround.models import LanguageModel, Message
from wardround.models.prompts import fill

VERSION = 1


class Answered(BaseModel):
    """True if the text states an answer, false if it says that there is none."""

    answered: bool


class Correct(BaseModel):
    """True if the answer is right."""

    correct: bool


async def judged(
    model: LanguageModel, task: FhirTask, text: str, context: JudgeContext
) -> tuple[State, str]:
    """The judge's decision on an answer, in at most two requests, with its reason.

    No answer to a question that has none is right without the second request.

    Raises:
        InfraError: the model's provider fails.
    """
    asker = model.bind("judge", context.record, context.seed)
    asked = f"Question: {task.public.text}\nThe agent's answer: {text}"
    expected = values(task.hidden.answer)
    try:
        first = await asker.structured(_messages("answered.md", asked), Answered)
        if not first.answered or not expected:
            return state_of(first.answered == bool(expected)), "decided by whether it answers"
        both = f"{asked}\nThe true answer: {as_json(task.hidden.answer)}"
        second = await asker.structured(_messages("correct.md", both), Correct)
    except MalformedAnswerError:
        return "undecided", "the judge's answer has no readable form"
    return state_of(second.correct), "decided by its values"


def _messages(prompt: str, text: str) -> list[Message]:
    return [Message("system", fill(prompts.__name__, prompt)), Message("user", text)]
