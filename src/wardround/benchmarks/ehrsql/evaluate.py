"""Scores predictions against a suite's labels, many queries at once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.benchmarks.ehrsql.gold import answerable, check_belonging, known_among
from wardround.benchmarks.ehrsql.modes import Mode
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.result_cache import Ran, Results, at_once
from wardround.benchmarks.ehrsql.scorer import ABSENT, Scored, judge
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.scoring.abstention import Judged


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


def run_golds(
    suite: Suite, results: Results, modes: Sequence[Mode], folder: Path | None = None
) -> None:
    """Runs a suite's golds as each way of grading writes them, or takes them from disk.

    Args:
        suite: the questions with their labels.
        results: where their results are put.
        modes: the ways of grading.
        folder: the cache of gold results; the user's cache folder by default.

    Raises:
        UserError: most of the golds make no sense on this database.
    """
    tasks = answerable(suite.tasks)
    results.run_golds([_written(t, t.hidden.gold, mode) for mode in modes for t in tasks], folder)
    pairs = [(task, results.of(_written(task, task.hidden.gold, modes[0]))) for task in tasks]
    check_belonging(pairs, suite.source, results.database.name)


def evaluate(
    suite: Suite,
    results: Results,
    modes: Sequence[Mode],
    predictions: Predictions,
    confidences: Mapping[str, float] | None = None,
    on_question: Callable[[], None] = lambda: None,
    again: Results | None = None,
) -> Evaluation:
    """Scores predictions; a faulty one is reported and never ends the rest.

    Args:
        suite: the questions with their labels.
        results: where `run_golds` has put what the golds give.
        modes: the ways of grading.
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
        scored = _scored(task, results, modes, predictions, sure)
        if again and _differs(scored):
            scored = _scored(task, again, modes, predictions, sure)
        on_question()
        return scored

    return Evaluation(
        tuple(at_once(score, tasks)),
        known_among(ids),
        _failing(tasks, results, modes[0]),
        predictions.strangers(ids),
        predictions.doubled,
        () if confidences is None else _unsure(predictions, ids, sure),
    )


def run_gold(task: EhrsqlTask, results: Results, mode: Mode) -> Ran | None:
    """The result of a task's gold; None if the question cannot be answered."""
    return run_answer(task, task.hidden.gold or NULL, results, mode)


def run_answer(task: EhrsqlTask, sql: str, results: Results, mode: Mode) -> Ran | None:
    """The result of an answer to a task; None for a refusal."""
    return None if sql == NULL else results.of(_written(task, sql, mode))


def _written(task: EhrsqlTask, sql: str | None, mode: Mode) -> str:
    return mode.written(sql or NULL, task.public.now)


def _scored(
    task: EhrsqlTask,
    results: Results,
    modes: Sequence[Mode],
    predictions: Predictions,
    sure: Mapping[str, float],
) -> Scored:
    judged: dict[str, Judged] = {}
    problems: list[str] = []
    for mode in modes:
        answer = _answer(task, predictions, results, mode)
        judged[mode.name] = judge(run_gold(task, results, mode), answer, mode)
        problems.append(answer.problem if answer else "")
    return Scored(task.id, task.labels, judged, problems[0], sure.get(task.id))


def _differs(scored: Scored) -> bool:
    """True if an answer has a result that differs from the gold's."""
    wrong = any(one.answered and not one.right for one in scored.judged.values())
    return wrong and not scored.problem


def _answer(task: EhrsqlTask, predictions: Predictions, results: Results, mode: Mode) -> Ran | None:
    if task.id in predictions.answers:
        return run_answer(task, predictions.answers[task.id], results, mode)
    reason = predictions.unusable.get(task.id)
    return Ran(None, "unusable", reason) if reason else ABSENT


def _unsure(
    predictions: Predictions, ids: Sequence[str], sure: Mapping[str, float]
) -> tuple[str, ...]:
    answered = (id for id in ids if predictions.answers.get(id, NULL) != NULL)
    return tuple(id for id in answered if id not in sure)


def _failing(tasks: Sequence[EhrsqlTask], results: Results, mode: Mode) -> tuple[Defect, ...]:
    ran = [(task.id, run_gold(task, results, mode)) for task in tasks]
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
