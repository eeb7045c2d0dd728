"""Scores predictions against a suite's labels, many queries at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.gold import known_among, run_answer, run_gold
from wardround.benchmarks.ehrsql.graders import Grader
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.result_cache import Ran, Results, at_once
from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.benchmarks.ehrsql.verdicts import ABSENT, judge
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.scoring.abstention import GradedQuestion


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The questions of a suite, scored, with what was wrong with the predictions.

    Attributes:
        scored: every labelled question.
        known: the known defects among them, which are scored all the same.
        failing: golds that give no result on this database; nobody can get their questions right.
        strangers: ids that were predicted and are not among the questions.
        doubled: ids that were predicted more than once.
        unsure: ids that were answered without a confidence, where others have one.
    """

    scored: tuple[Scored, ...]
    known: tuple[Defect, ...] = ()
    failing: tuple[Defect, ...] = ()
    strangers: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()


def evaluate(
    suite: Suite,
    results: Results,
    graders: Sequence[Grader],
    predictions: Predictions,
    confidences: Mapping[str, float] | None = None,
    on_question: Callable[[], None] = lambda: None,
    again: Results | None = None,
) -> Evaluation:
    """Scores predictions; a faulty one is reported and never ends the rest.

    Args:
        suite: the questions with their labels.
        results: where `run_golds` has put what the golds give.
        graders: the graders; the first is the published one.
        predictions: what the system answered.
        confidences: how sure it was, by question id.
        on_question: called after each question.
        again: where an answer is run again with its gold before it is wrong: the database itself,
            where `results` has a copy of it (see `indexed`).

    Raises:
        UserError: the questions have no labels, or no prediction is for any of them.
    """
    _check(suite, predictions)
    tasks: tuple[EhrsqlTask, ...] = suite.tasks
    sure = confidences or {}
    ids = [task.id for task in tasks]

    def score(task: EhrsqlTask) -> Scored:
        scored = _scored(task, results, graders, predictions, sure)
        if again and _differs(scored):
            scored = _scored(task, again, graders, predictions, sure)
        on_question()
        return scored

    return Evaluation(
        tuple(at_once(score, tasks)),
        known_among(ids),
        _failing(tasks, results, graders[0]),
        predictions.strangers(ids),
        predictions.doubled,
        () if confidences is None else _unsure(predictions, ids, sure),
    )


def _scored(
    task: EhrsqlTask,
    results: Results,
    graders: Sequence[Grader],
    predictions: Predictions,
    sure: Mapping[str, float],
) -> Scored:
    judged: dict[str, GradedQuestion] = {}
    problems: list[str] = []
    for grader in graders:
        answer = _answer(task, predictions, results, grader)
        judged[grader.name] = judge(run_gold(task, results, grader), answer, grader)
        problems.append(answer.problem if answer else "")
    return Scored(task.id, task.labels, judged, problems[0], sure.get(task.id))


def _differs(scored: Scored) -> bool:
    """True if an answer has a result that differs from the gold's."""
    wrong = any(one.answered and not one.credited for one in scored.judged.values())
    return wrong and not scored.problem


def _answer(
    task: EhrsqlTask, predictions: Predictions, results: Results, grader: Grader
) -> Ran | None:
    if task.id in predictions.answers:
        return run_answer(task, predictions.answers[task.id], results, grader)
    reason = predictions.unusable.get(task.id)
    return Ran(None, "unusable", reason) if reason else ABSENT


def _unsure(
    predictions: Predictions, ids: Sequence[str], sure: Mapping[str, float]
) -> tuple[str, ...]:
    answered = (id for id in ids if predictions.answers.get(id, NULL) != NULL)
    return tuple(id for id in answered if id not in sure)


def _failing(tasks: Sequence[EhrsqlTask], results: Results, grader: Grader) -> tuple[Defect, ...]:
    ran = [(task.id, run_gold(task, results, grader)) for task in tasks]
    return tuple(Defect(id, gold.reason) for id, gold in ran if gold and gold.rows is None)


def _check(suite: Suite, predictions: Predictions) -> None:
    if all(task.hidden.gold is None for task in suite.tasks):
        raise UserError(
            f"{suite.source} has no labels to score against; put label.json beside data.json."
        )
    given = {*predictions.answers, *predictions.unusable}
    if given.isdisjoint(task.id for task in suite.tasks):
        raise UserError(
            f"None of the predictions is for a question of {suite.source}; check that the ids are "
            "those of its questions."
        )
