"""Grades one answer: its result against the gold's, a refusal against there being a gold."""

from collections.abc import Mapping
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.modes import Mode
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.benchmarks.kit.measures import Measured
from wardround.scoring.abstention import Judged

ABSENT = Ran(None, "absent", "There is no prediction.")
ANSWERABLE = "answerable"


@dataclass(frozen=True, slots=True)
class Scored:
    """One question, answered once.

    Attributes:
        id: the question's id.
        labels: what results are broken down by.
        judged: what came of it, by way of grading.
        problem: why the answer gave no result: a kind of `QueryError`, "absent" or "unusable".
        confidence: how sure the system was, where it said so.
    """

    id: str
    labels: Mapping[str, str]
    judged: Mapping[str, Judged]
    problem: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """What a trial's record keeps beside its rewards; `scored_trial` reads it.

    Attributes:
        answered: whether the question was not refused.
        problem: why the answer gave no result: a kind of `QueryError`, or "absent".
        confidence: how sure the agent was, where it said so.
    """

    answered: bool
    problem: str = ""
    confidence: float | None = None


def judge(gold: Ran | None, answer: Ran | None, mode: Mode) -> Judged:
    """What came of a question.

    An answer that gives no result, or that is missing altogether, was given and is wrong.

    Args:
        gold: the gold's result; None where the question cannot be answered.
        answer: the answer's result; None where the system refused.
        mode: how results are compared.
    """
    if gold is None or answer is None:
        return Judged(gold is not None, answer is not None, False)
    return Judged(True, True, _same(gold, answer, mode))


def describe(judged: Judged, answer: Ran | None) -> str:
    """Why a question was not done right, without any value."""
    if judged.right:
        return ""
    if answer is None:
        return "refused, though it can be answered"
    if answer.rows is None:
        return f"the answer gives no result ({answer.problem})"
    return "another result than the gold's" if judged.answerable else "answered, but has no answer"


def scored_trial(one: Measured[AnswerMeasures]) -> Scored:
    """A scored trial of a run as a scored question."""
    trial, found = one.trial, one.measures
    answerable = trial.labels.get("kind") == ANSWERABLE
    judged = {
        mode: Judged(answerable, found.answered, answerable and found.answered and reward >= 1)
        for mode, reward in trial.scores.items()
    }
    return Scored(trial.task, trial.labels, judged, found.problem, found.confidence)


def _same(gold: Ran, answer: Ran, mode: Mode) -> bool:
    """Whether both have a result, and the same one."""
    if gold.rows is None or answer.rows is None:
        return False
    return mode.same(gold.rows, answer.rows)
