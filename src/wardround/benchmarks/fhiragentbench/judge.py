"""The judge of answers: a model that first says if a question was answered, then how well."""

from pydantic import BaseModel

from wardround.benchmarks.fhiragentbench import prompts
from wardround.benchmarks.fhiragentbench.declaration import JUDGE
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import JudgeContext
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model, Schema
from wardround.models.prompts import fill
from wardround.scoring.written_answers import Row

SOURCE = f"model:{JUDGE}"
ITEM = "answer"
VERSION = 1  # raise it when a prompt changes


class Answered(BaseModel):
    """Whether a reply gives an answer, or says that there is none."""

    answered: bool


class Correct(BaseModel):
    """Whether an answer is correct."""

    correct: bool


def judge_key(model: LanguageModel, task: FhirTask, expected: tuple[Row, ...], answer: str) -> str:
    """The key of the judge's verdict on an answer."""
    question = task.public
    return verdict_key(JUDGE, VERSION, model.settings.name, question.text, expected, answer)


async def judged(
    model: LanguageModel,
    task: FhirTask,
    expected: tuple[Row, ...],
    answer: str,
    context: JudgeContext,
) -> Verdict:
    """The judge's verdict on an answer; one that is missing is wrong without a question.

    Raises:
        InfraError: the judge's model fails.
        MalformedAnswerError: its answer has another form.
    """
    bound = model.bind(JUDGE, context.record, context.seed)
    passed = bool(answer) and await _is_correct(bound, task, expected, answer)
    key = judge_key(model, task, expected, answer)
    return Verdict(ITEM, SOURCE, state_of(passed), key=key)


async def _is_correct(model: Model, task: FhirTask, expected: tuple[Row, ...], answer: str) -> bool:
    values = {
        "question": task.public.text,
        "assumption": task.public.assumption or "none",
        "expected": as_json(expected),
        "answer": answer,
    }
    answered = (await _ask(model, "judge_answered.md", values, Answered)).answered
    if not expected or not answered:
        return not expected and not answered
    return (await _ask(model, "judge_correct.md", values, Correct)).correct


async def _ask(model: Model, name: str, values: dict[str, str], form: type[Schema]) -> Schema:
    prompt = fill(prompts.__name__, name, **values)
    return await model.structured([Message("user", prompt)], form)
