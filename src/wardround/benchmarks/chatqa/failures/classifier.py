"""The classifier of failures: a language model names the causes that the program leaves open."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from wardround.benchmarks.chatqa import prompts
from wardround.benchmarks.chatqa.failures import Failure
from wardround.benchmarks.chatqa.judge import queries_of
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, verdict_key
from wardround.models.messages import Message
from wardround.models.prompts import fill
from wardround.people.llm_people import transcript

if TYPE_CHECKING:
    from wardround.models.client import LanguageModel

ITEM, SOURCE = "cause", "model:classifier"
_VERSION = 1
_MEANINGS: Mapping[Failure, str] = {
    "value linking": "it did not find all stored names or spellings of what was asked for",
    "SQL": "a condition, join, time, aggregate or order of its query is wrong or missing",
    "clinical knowledge": "it did not know what a drug, test, illness or class stands for",
    "rule of the database": "it broke a rule of the records, such as what the current time is",
    "unresolved ambiguity": "the user never said something that decides the answer",
    "gave up": "it stopped without an answer",
    "undecided": "none of these, or several equally",
}


class Cause(BaseModel):
    """The cause of a failure."""

    model_config = ConfigDict(defer_build=True)

    explanation: str = Field(description="why, in one sentence")
    cause: Failure = Field(description="the cause")


@dataclass(frozen=True, slots=True)
class FailureClassifier:
    """A model that names causes; it sees the talk and the queries, and no results of them."""

    model: "LanguageModel"

    async def verdicts(
        self, task: ChatTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields the cause of a failure, as a verdict's reason.

        A call that fails, or an answer without a form that can be read, leaves it undecided.
        """
        prompt = cause_prompt(task, trajectory)
        key = verdict_key(SOURCE, self.model.settings.name, _VERSION, prompt)
        if context.has(key):
            return
        verdict = Verdict(ITEM, SOURCE, "undecided", 0.0, "no cause was named", key=key)
        bound = self.model.bind("classifier", context.record, context.seed)
        try:
            answer = await bound.structured([Message("user", prompt)], Cause)
        except (InfraError, MalformedAnswerError) as error:
            yield replace(verdict, reason=str(error))
            return
        is_decided = answer.cause != "undecided"
        yield replace(verdict, state="passed", reason=answer.cause) if is_decided else verdict


def classified_cause(verdicts: Sequence[Verdict]) -> Failure:
    """The cause that a classifier named; "undecided" without one."""
    named = {verdict.reason for verdict in verdicts if verdict.item == ITEM and verdict.passed}
    return next((cause for cause in _MEANINGS if cause in named), "undecided")


def cause_prompt(task: ChatTask, trajectory: Trajectory) -> str:
    """The question to a classifier about a failed trial."""
    return fill(
        prompts.__name__,
        "cause.md",
        instruction=task.hidden.instruction,
        talk=transcript(trajectory.events),
        queries="\n\n".join(query.sql for query in queries_of(trajectory)) or "none",
        gold_sql=task.hidden.gold_sql,
        causes="\n".join(f"- {name}: {meaning}" for name, meaning in _MEANINGS.items()),
    )
