"""Grades an answer: its result against the gold's, a refusal against there being a gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.answers import answer_of
from wardround.benchmarks.ehrsql.modes import Mode
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.core.benchmark import Score
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.scoring.abstention import Judged

ABSENT = Ran(None, "absent", "There is no prediction.")
ITEM, STRICT = "answer", "strict"
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


def score(task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grade of a trial by its form's grading and by the strict one."""
    made = answer_of(trajectory)
    found = {verdict.source: verdict for verdict in verdicts}
    published = found[source_of(task.hidden.form)]
    answerable, answered = task.hidden.gold != NULL, made is None or made.answer != NULL
    judged = Judged(answerable, answered, published.passed and answerable and answered)
    passed = {name: found[source_of(name)].passed for name in (task.hidden.form, STRICT)}
    return Score(
        passed,
        {name: float(right) for name, right in passed.items()},
        describe(judged, published.reason),
        measures(judged, published.reason, made.confidence if made else None),
    )


def describe(judged: Judged, problem: str) -> str:
    """Why a question was not done right, without any value.

    Args:
        judged: what came of the question.
        problem: why the answer gave no result; "" where it gave one.
    """
    if judged.right:
        return ""
    if not judged.answered:
        return "refused, though it can be answered"
    if problem:
        return f"the answer gives no result ({problem})"
    return "another result than the gold's" if judged.answerable else "answered, but has no answer"


def source_of(grading: str) -> str:
    """The source of the verdicts by which a grading counts."""
    return f"program:{grading}"


def scored_trial(trial: TrialRecord) -> Scored:
    """A finished trial of a run as a scored question."""
    answerable = trial.labels.get("kind") == ANSWERABLE
    answered = bool(trial.measures.get("answered"))
    judged = {
        mode: Judged(answerable, answered, answerable and answered and reward >= 1)
        for mode, reward in trial.scores.items()
    }
    problem = next((name for name in trial.measures if name.startswith(PROBLEM)), "")
    return Scored(
        trial.task,
        trial.labels,
        judged,
        problem.removeprefix(PROBLEM),
        trial.measures.get("confidence"),
    )


# A measure of a trial whose answer gave no result is named after the reason.
PROBLEM = "problem: "


def measures(judged: Judged, problem: str, confidence: float | None) -> dict[str, float]:
    """What a trial's record keeps beside its rewards; the inverse is `scored_trial`."""
    found = {"answered": float(judged.answered)}
    if problem:
        found[PROBLEM + problem] = 1.0
    if confidence is not None:
        found["confidence"] = confidence
    return found


def _same(gold: Ran, answer: Ran, mode: Mode) -> bool:
    """Whether both have a result, and the same one."""
    if gold.rows is None or answer.rows is None:
        return False
    return mode.same(gold.rows, answer.rows)
