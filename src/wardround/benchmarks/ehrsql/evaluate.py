"""Scores a predictions file against labels on a database, many queries at once."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.gold import answerable, check_belonging, known_among
from wardround.benchmarks.ehrsql.modes import Mode
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.results import KeptResults, Ran, gold_results, run_queries
from wardround.benchmarks.ehrsql.scorer import ABSENT, judge
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.ehr.database import Database
from wardround.scoring.abstention import Judged

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Scored:
    """One question with what came of it.

    Attributes:
        id: the question's id.
        labels: what results are broken down by.
        judged: what came of it.
        problem: why the answer gave no result: a kind of `QueryError`, "absent" or "unusable".
        confidence: how sure the system was, where it said so.
    """

    id: str
    labels: Mapping[str, str]
    judged: Judged
    problem: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The questions of a labels file, scored, with what was wrong with the files.

    Attributes:
        scored: every labelled question.
        known: the known defects among them, which are scored all the same.
        failing: golds that give no result on this database, whose questions cannot be got right.
        strangers: ids that were predicted and are not among the questions.
        doubled: ids that were predicted more than once.
        unsure: ids without a confidence, where there are any.
    """

    scored: tuple[Scored, ...]
    known: tuple[Defect, ...] = ()
    failing: tuple[Defect, ...] = ()
    strangers: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()

    def with_problem(self, problem: str) -> tuple[str, ...]:
        """The ids whose answer gave no result for this reason."""
        return tuple(one.id for one in self.scored if one.problem == problem)

    def problems(self) -> dict[str, int]:
        """How many answers gave no result, by reason."""
        counted = Counter(one.problem for one in self.scored if one.problem)
        return dict(sorted(counted.items()))


@dataclass(frozen=True, slots=True)
class Golds:
    """What the golds of a suite give on a database, ready to compare with."""

    database: Database
    mode: Mode
    results: Mapping[str, Ran]
    seconds: float = SECONDS

    def of(self, task: EhrsqlTask) -> Ran | None:
        """What the task's gold gives; None where it cannot be answered."""
        return self.of_sql(task.hidden.gold or NULL, task)

    def of_sql(self, sql: str, task: EhrsqlTask) -> Ran | None:
        """What a query gives that was run for this task; None for a refusal."""
        return None if sql == NULL else self.results[self.mode.written(sql, task.public.now)]


def run_golds(suite: Suite, database: Database, mode: Mode, *, seconds: float = SECONDS) -> Golds:
    """Runs a suite's golds, or takes their results from disk.

    Raises:
        UserError: most of them make no sense on this database.
    """
    tasks = answerable(suite.tasks)
    queries = [mode.written(task.hidden.gold or "", task.public.now) for task in tasks]
    kept = KeptResults(database)
    found = gold_results(database, queries, kept, seconds=seconds, processes=processors())
    pairs = [(task, found[sql]) for task, sql in zip(tasks, queries, strict=True)]
    check_belonging(pairs, suite.source, database.name)
    return Golds(database, mode, found, seconds)


def evaluate(
    suite: Suite,
    golds: Golds,
    predictions: Predictions,
    confidences: Mapping[str, float] | None = None,
    told: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Scores predictions; what is wrong with one of them is told and never ends the rest.

    Args:
        suite: the questions with their labels.
        golds: what `run_golds` gave for the suite.
        predictions: what the system answered.
        confidences: how sure it was, by question id.
        told: hears of each query that is done.

    Raises:
        UserError: the questions have no labels, or no prediction is for any of them.
    """
    _check(suite, predictions)
    answers = _run(suite.tasks, golds, predictions, told)
    sure = confidences or {}
    scored = tuple(_scored(task, golds, answers[task.id], sure) for task in suite.tasks)
    failing = tuple(
        Defect(task.id, ran.reason)
        for task in answerable(suite.tasks)
        if (ran := golds.of(task)) and ran.rows is None
    )
    ids = [task.id for task in suite.tasks]
    unsure = tuple(id for id in ids if id not in sure) if confidences is not None else ()
    return Evaluation(
        scored,
        known_among(ids),
        failing,
        predictions.strangers(ids),
        predictions.doubled,
        unsure,
    )


def processors() -> int:
    """How many queries are run at once: one a processor."""
    return os.cpu_count() or 1


def _run(
    tasks: Sequence[EhrsqlTask],
    golds: Golds,
    predictions: Predictions,
    told: Callable[[], None],
) -> dict[str, Ran | None]:
    """What each task's prediction gives; None for a refusal."""
    written = {
        task.id: golds.mode.written(sql, task.public.now)
        for task in tasks
        if (sql := predictions.answers.get(task.id, NULL)) != NULL
    }
    new = [sql for sql in written.values() if sql not in golds.results]
    found = run_queries(
        golds.database, new, seconds=golds.seconds, processes=processors(), told=told
    )
    known = {**golds.results, **found}
    absent = {task.id: _absent(task.id, predictions) for task in tasks}
    return absent | {id: known[sql] for id, sql in written.items()}


def _absent(id: str, predictions: Predictions) -> Ran | None:
    if id in predictions.answers:
        return None
    reason = predictions.unusable.get(id)
    return Ran(None, "unusable", reason) if reason else ABSENT


def _scored(
    task: EhrsqlTask, golds: Golds, answer: Ran | None, sure: Mapping[str, float]
) -> Scored:
    judged = judge(golds.of(task), answer, golds.mode)
    return Scored(task.id, task.labels, judged, answer.problem if answer else "", sure.get(task.id))


def _check(suite: Suite, predictions: Predictions) -> None:
    if all(task.hidden.gold is None for task in suite.tasks):
        raise UserError(
            f"{suite.source} has no labels to score against; put label.json beside data.json."
        )
    if not any(task.id in predictions.answers for task in suite.tasks):
        raise UserError(
            f"None of the predictions is for a question of {suite.source}; check that the ids are "
            "those of its questions."
        )
