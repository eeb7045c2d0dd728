"""Grades an answer: its result against the gold's, a refusal against there being a gold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.ehrsql.declaration import PUBLISHED
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.benchmarks.ehrsql.verdicts import answer_of, source_of
from wardround.benchmarks.kit.measures import Measured
from wardround.core.benchmark import Explanation, Score
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.scoring.abstention import GradedQuestion

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
    judged: Mapping[str, GradedQuestion]
    problem: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """Measures of a trial beside its rewards; `scored_trial` reads them.

    Attributes:
        answered: whether the question was not refused.
        problem: why the answer gave no result: a kind of `QueryError`, or "absent".
        confidence: how sure the agent was, where it said so.
    """

    answered: bool
    problem: str = ""
    confidence: float | None = None


def score(task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grade of a trial by each grading that has a verdict; its form's is the published one."""
    made = answer_of(trajectory)
    found = {verdict.source: verdict for verdict in verdicts}
    published = found[source_of(task.hidden.form)]
    answerable, answered = task.hidden.gold != NULL, made is None or made.answer != NULL
    judged = GradedQuestion(answerable, answered, published.passed and answerable and answered)
    passed = {name: found[source_of(name)].passed for name in GRADERS if source_of(name) in found}
    return Score(
        {PUBLISHED: published.passed, **passed},
        {name: float(right) for name, right in passed.items()},
        describe(judged, published.reason),
        asdict(AnswerMeasures(answered, published.reason, made.confidence if made else None)),
    )


def explanation(
    task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]
) -> Explanation:
    """The question and gold beside the submitted answer."""
    answer = answer_of(trajectory)
    found = next((verdict.evidence for verdict in verdicts if verdict.evidence), "")
    attempt = answer.answer if answer else ""
    return Explanation(task.public.question, task.hidden.gold or "", attempt, found)


def describe(judged: GradedQuestion, problem: str) -> str:
    """Why a question was not done right, without any value.

    Args:
        judged: what came of the question.
        problem: why the answer gave no result; "" where it gave one.
    """
    if judged.credited:
        return ""
    if not judged.answered:
        return "refused, though it can be answered"
    if problem:
        return f"the answer gives no result ({problem})"
    return "another result than the gold's" if judged.answerable else "answered, but has no answer"


def scored_trial(trial: Measured[AnswerMeasures]) -> Scored:
    """A scored trial of a run as a scored question."""
    record, found = trial.record, trial.measures
    answerable = record.labels.get("kind") == ANSWERABLE
    judged = {
        mode: GradedQuestion(
            answerable, found.answered, answerable and found.answered and reward >= 1
        )
        for mode, reward in record.scores.items()
    }
    return Scored(record.task, record.labels, judged, found.problem, found.confidence)
