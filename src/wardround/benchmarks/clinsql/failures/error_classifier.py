"""The classifier of errors: a language model classes failed leaves that no rule classes (5.3)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from wardround.benchmarks.clinsql import prompts
from wardround.benchmarks.clinsql.checks.leaf_verdicts import CLASS, CLASSIFIER, failed_items
from wardround.benchmarks.clinsql.failures.error_classes import CLASSES, EXECUTION, unclassed_leaves
from wardround.benchmarks.clinsql.items.item import ClinTask, leaf_item
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.verdict import Verdict, verdict_key
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.prompts import fill
from wardround.scoring.rubrics.tree import RubricNode

PROMPT_VERSION = 1
_MEANINGS = {
    "cohort specification and coding": "codes or items replaced by words, conditions or joins "
    "dropped or relaxed, the wrong patients",
    "output schema and formatting": "columns missing, misnamed or in a wrong form",
    "aggregation and clinical statistics": "a wrong denominator, unit, grouping or statistic",
    "time boundary": "a window or moment in time that begins or ends wrongly",
    "quantile": "a wrong percentile, quartile or median",
    "other": "none of these",
}


class ErrorClass(BaseModel):
    """The kind of error of one requirement."""

    model_config = ConfigDict(defer_build=True)

    id: str = Field(description="the requirement's id")
    kind: Literal[
        "cohort specification and coding",
        "output schema and formatting",
        "aggregation and clinical statistics",
        "time boundary",
        "quantile",
        "other",
    ] = Field(description="the kind of error")


class ErrorClasses(BaseModel):
    """The kinds of error of all requirements."""

    model_config = ConfigDict(defer_build=True)

    errors: list[ErrorClass] = Field(description="a kind for each id")


@dataclass(frozen=True, slots=True)
class ErrorClassifier:
    """A model that classes failed leaves; it sees question and queries, and no rows."""

    model: LanguageModel

    async def verdicts(
        self, task: ClinTask, sql: str, verdicts: Sequence[Verdict], context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields the class of each failed leaf that no rule classes, as a verdict's reason.

        A call that fails, or an answer that leaves a leaf out, leaves its class undecided.
        """
        leaves = unclassed_leaves(task.hidden, failed_items(verdicts))
        wanted = [leaf for leaf in leaves if not context.has(self._item(task, sql, leaf).key)]
        if not wanted:
            return
        bound = self.model.bind("classifier", context.record, context.seed)
        prompt = classifier_prompt(task, sql, wanted)
        try:
            answer = await bound.structured([Message("user", prompt)], ErrorClasses)
            kinds, missing = {each.id: each.kind for each in answer.errors}, "no class was named"
        except (InfraError, MalformedAnswerError) as error:
            kinds, missing = {}, str(error)
        for leaf in wanted:
            item, kind = self._item(task, sql, leaf), kinds.get(leaf.id)
            yield (
                replace(item, state="passed", reason=kind)
                if kind
                else replace(item, reason=missing)
            )

    def _item(self, task: ClinTask, sql: str, leaf: RubricNode) -> Verdict:
        how = (self.model.settings.name, PROMPT_VERSION)
        key = verdict_key(CLASSIFIER, *how, leaf.id, leaf.requirement, sql, task.hidden.sql)
        return Verdict(CLASS + leaf_item("sql", leaf.id), CLASSIFIER, "undecided", 0.0, key=key)


def classifier_prompt(task: ClinTask, sql: str, leaves: Sequence[RubricNode]) -> str:
    """The question to a classifier about failed leaves of a query."""
    return fill(
        prompts.__name__,
        "error_classes.md",
        question=task.public.question,
        query=sql,
        gold=task.hidden.sql,
        requirements="\n".join(f"{leaf.id}: {leaf.requirement}" for leaf in leaves),
        classes="\n".join(f"- {name}: {_MEANINGS[name]}" for name in CLASSES if name != EXECUTION),
    )
