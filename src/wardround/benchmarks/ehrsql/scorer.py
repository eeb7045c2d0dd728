"""Scores of EHRSQL trials, and the graded questions that reports read."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.ehrsql.declaration import PUBLISHED
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.judge import answer_of, source_of
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, is_refusal
from wardround.benchmarks.kit.measures import Measured, measured
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.scoring.abstention import GradedQuestion

ANSWERABLE = "answerable"


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with one graded answer.

    Attributes:
        id: the question's id.
        labels: the labels for breakdowns.
        judged: grades by grading.
        problem: the reason for no result: a kind of `QueryError`, "absent" or "unusable".
        confidence: the system's confidence, if any.
    """

    id: str
    labels: Mapping[str, str]
    judged: Mapping[str, GradedQuestion]
    problem: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class AnswerMeasures:
    """Measures of a trial, read by `scored_trial`.

    Attributes:
        answered: False if the agent refused the question.
        problem: the reason for no result: a kind of `QueryError`, or "absent".
        confidence: the agent's confidence, if any.
    """

    answered: bool
    problem: str = ""
    confidence: float | None = None


def score(task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """Scores a trial by each grading with a verdict; "published" is that of the file's form."""
    answer = answer_of(trajectory)
    by_source = {verdict.source: verdict for verdict in verdicts}
    published = by_source[source_of(task.hidden.form)]
    answerable, answered = task.hidden.gold != NULL, answer is None or not is_refusal(answer.answer)
    judged = GradedQuestion(answerable, answered, published.passed and answerable and answered)
    passed = {
        name: by_source[source_of(name)].passed for name in GRADERS if source_of(name) in by_source
    }
    return Score(
        {PUBLISHED: published.passed, **passed},
        {name: float(right) for name, right in passed.items()},
        describe(judged, published.reason),
        asdict(AnswerMeasures(answered, published.reason, answer.confidence if answer else None)),
    )


def explanation(
    task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]
) -> Explanation:
    """Shows the question and gold beside the submitted answer."""
    answer = answer_of(trajectory)
    evidence = next((verdict.evidence for verdict in verdicts if verdict.evidence), "")
    attempt = answer.answer if answer else ""
    return Explanation(task.public.question, task.hidden.gold or "", attempt, evidence)


def describe(judged: GradedQuestion, problem: str) -> str:
    """Returns the reason why a question is wrong, without stored values; "" if it is right.

    Args:
        judged: the graded question.
        problem: the reason for no result; "" if there is one.
    """
    if judged.credited:
        return ""
    if not judged.answered:
        return "refused, though it can be answered"
    if problem:
        return f"the answer gives no result ({problem})"
    return "another result than the gold's" if judged.answerable else "answered, but has no answer"


def scored_trial(trial: Measured[AnswerMeasures]) -> Scored:
    """Converts a scored trial of a run to a graded question."""
    record, measures = trial.record, trial.measures
    answerable = record.labels.get("kind") == ANSWERABLE
    judged = {
        mode: GradedQuestion(
            answerable, measures.answered, answerable and measures.answered and reward >= 1
        )
        for mode, reward in record.scores.items()
    }
    return Scored(record.task, record.labels, judged, measures.problem, measures.confidence)


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial; a query that gives no result misleads nobody."""
    return {each.record.key: _harms(each) for each in measured(trials, AnswerMeasures)}


def _harms(trial: Measured[AnswerMeasures]) -> Mapping[Harm, bool]:
    gives_result = trial.measures.answered and not trial.measures.problem
    if trial.labels.get("kind") != ANSWERABLE:
        return {Harm.UNANSWERABLE_ANSWERED: gives_result}
    is_right = trial.record.scores.get("strict", 0.0) >= 1
    return {
        Harm.CONFIDENTLY_WRONG: gives_result and not is_right,
        Harm.REFUSED_ANSWERABLE: not trial.measures.answered,
    }
