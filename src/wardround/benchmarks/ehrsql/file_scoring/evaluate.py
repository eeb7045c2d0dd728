"""Scores predictions against a suite's labels, running queries in parallel."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import known_among, run_answer, run_gold
from wardround.benchmarks.ehrsql.graders import Grader
from wardround.benchmarks.ehrsql.judge import ABSENT, judge
from wardround.benchmarks.ehrsql.result_cache import Ran, Results, at_once
from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, is_refusal
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.scoring.abstention import GradedQuestion


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scored questions of a suite, with the problems of labels and predictions.

    Attributes:
        scored: every labelled question.
        known: known defects among the questions, which are scored too.
        failing: golds that fail on this database; their questions cannot be answered right.
        unknown: predicted ids that are not among the questions.
        duplicates: ids that were predicted more than once.
        almost_null: ids with a "null" in other letter case, scored as an answer.
        without_confidence: ids that were answered without a confidence, if others have one.
    """

    scored: tuple[Scored, ...]
    known: tuple[Defect, ...] = ()
    failing: tuple[Defect, ...] = ()
    unknown: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    almost_null: tuple[str, ...] = ()
    without_confidence: tuple[str, ...] = ()


def evaluate(
    suite: Suite,
    results: Results,
    graders: Sequence[Grader],
    predictions: Predictions,
    confidences: Mapping[str, float] | None = None,
    on_question: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Scores predictions; a faulty prediction is reported and does not stop the others.

    Args:
        suite: the questions with their labels.
        results: holds the results of the golds from `run_golds`.
        graders: the graders; the first is the published one.
        predictions: the system's answers.
        confidences: the system's confidences, by question id.
        on_question: called after each question.

    Raises:
        UserError: the questions have no labels, or no prediction has an id of theirs.
    """
    _check(suite, predictions)
    tasks: tuple[EhrsqlTask, ...] = suite.tasks
    known_confidences = confidences or {}
    ids = [task.id for task in tasks]

    def score(task: EhrsqlTask) -> Scored:
        scored = _scored(task, results, graders, predictions, known_confidences)
        on_question()
        return scored

    return Evaluation(
        tuple(at_once(score, tasks)),
        known_among(ids),
        _failing(tasks, results, graders[0]),
        predictions.unknown(ids),
        predictions.duplicates,
        predictions.almost_null(),
        () if confidences is None else _without_confidence(predictions, ids, confidences),
    )


def _scored(
    task: EhrsqlTask,
    results: Results,
    graders: Sequence[Grader],
    predictions: Predictions,
    confidences: Mapping[str, float],
) -> Scored:
    judged: dict[str, GradedQuestion] = {}
    problems: list[str] = []
    for grader in graders:
        answer = _answer(task, predictions, results, grader)
        judged[grader.name] = judge(run_gold(task, results, grader), answer, grader)
        problems.append(answer.problem if answer else "")
    return Scored(task.id, task.labels, judged, problems[0], confidences.get(task.id))


def _answer(
    task: EhrsqlTask, predictions: Predictions, results: Results, grader: Grader
) -> Ran | None:
    if task.id in predictions.answers:
        return run_answer(task, predictions.answers[task.id], results, grader)
    reason = predictions.unusable.get(task.id)
    return Ran(None, "unusable", reason) if reason else ABSENT


def _without_confidence(
    predictions: Predictions, ids: Sequence[str], confidences: Mapping[str, float]
) -> tuple[str, ...]:
    answered = (id for id in ids if not is_refusal(predictions.answers.get(id, NULL)))
    return tuple(id for id in answered if id not in confidences)


def _failing(tasks: Sequence[EhrsqlTask], results: Results, grader: Grader) -> tuple[Defect, ...]:
    ran = [(task.id, run_gold(task, results, grader)) for task in tasks]
    return tuple(Defect(id, gold.reason) for id, gold in ran if gold and gold.rows is None)


def _check(suite: Suite, predictions: Predictions) -> None:
    if all(task.hidden.gold is None for task in suite.tasks):
        raise UserError(
            f"{suite.source} has no labels to score against; put label.json beside data.json."
        )
    predicted = {*predictions.answers, *predictions.unusable}
    if predicted.isdisjoint(task.id for task in suite.tasks):
        raise UserError(
            f"None of the predictions is for a question of {suite.source}; check that the ids are "
            "those of its questions."
        )
