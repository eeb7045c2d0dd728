"""Scores files of predictions: `wardround score ehrsql` without its printing."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.benchmarks.ehrsql.evaluate import Evaluation, evaluate
from wardround.benchmarks.ehrsql.gold import run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS, Grader, find_grader
from wardround.benchmarks.ehrsql.predictions import read_confidences, read_predictions
from wardround.benchmarks.ehrsql.report import by_question, paired_table, risk_curve, tables
from wardround.benchmarks.ehrsql.result_cache import SECONDS, Results, processors
from wardround.benchmarks.ehrsql.tasks import at_time, load_tasks
from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.option_types import EXAMPLE_TIME, is_time
from wardround.core.task import Suite
from wardround.ehr.database import Limits, open_database
from wardround.ehr.database.indexed_copy import indexed
from wardround.scoring.abstention import PENALTIES, Estimate, compare_paired, estimated_scores


@dataclass(frozen=True, slots=True)
class Files:
    """Files to score, and how.

    Attributes:
        predictions: `{id: SQL or "null"}`.
        labels: a published file, or a folder with one.
        database: where everything is run.
        mode: the way of grading that the figures are for; strict grading stands beside it.
        confidences: `{id: confidence}`, if there are any.
        against: another system's predictions, to be compared with.
        penalties: the c of RS(c).
        now: the current time; None for that of the labels.
        statement_seconds: the deadline of each query; the published one by default.
    """

    predictions: Path
    labels: Path
    database: str
    mode: str
    confidences: Path | None = None
    against: Path | None = None
    penalties: tuple[float, ...] = PENALTIES
    now: str | None = None
    statement_seconds: float = SECONDS


@dataclass(frozen=True, slots=True)
class FileReport:
    """The scores of files.

    Attributes:
        mode: the way of grading that the figures are for.
        figures: the paper's figures in percent.
        summary: the same and more as tables and a curve.
        evaluation: question by question, with what was wrong.
        suite: the questions, with labels that could not be read.
    """

    mode: str
    figures: dict[str, Estimate]
    summary: Summary
    evaluation: Evaluation
    suite: Suite

    def as_json(self) -> dict[str, Any]:
        """The figures by name, their intervals, and what was wrong, as JSON values."""
        ends = {n: e.interval for n, e in self.figures.items()}
        return {
            "mode": self.mode,
            "questions": len(self.evaluation.scored),
            **{name: estimate.value for name, estimate in self.figures.items()},
            "intervals": {n: [i.low, i.high] if i else None for n, i in ends.items()},
            "problems": {name: list(ids) for name, ids in self.problems().items()},
        }

    def problems(self) -> dict[str, Sequence[str]]:
        """The ids with a problem, by problem."""
        found: dict[str, list[str]] = {
            "known defects": [defect.where for defect in self.evaluation.known],
            "golds without a result": [defect.where for defect in self.evaluation.failing],
            "labels that cannot be read": [defect.where for defect in self.suite.defects],
            "predictions for no question": list(self.evaluation.strangers),
            "predicted twice": list(self.evaluation.doubled),
            "without a confidence": list(self.evaluation.unsure),
        }
        for answer in self.evaluation.scored:
            if answer.problem:
                found.setdefault(_PROBLEMS.get(answer.problem, answer.problem), []).append(
                    answer.id
                )
        return {name: ids for name, ids in found.items() if ids}


# From this many questions on, making a copy with indexes saves more time than it takes.
_MANY = 300

_PROBLEMS = {
    "absent": "no prediction",
    "unusable": "prediction cannot be used",
    "syntax": "SQL that is wrong",
    "denied": "SQL that does more than read",
    "timeout": "SQL that does not end in time",
    "limit": "SQL that needs or returns too much",
    "runtime": "SQL that fails",
}


def score_files(files: Files, on_question: Callable[[], None] = lambda: None) -> FileReport:
    """Scores predictions against labels.

    Args:
        files: what is scored, and how.
        on_question: called after each question.

    Raises:
        UserError: a file cannot be read, or the labels belong to another database.
    """
    graders = list(dict.fromkeys([find_grader(files.mode), GRADERS["strict"]]))
    predictions = read_predictions(files.predictions)
    confidences = read_confidences(files.confidences) if files.confidences else None
    suite = _suite(files)
    with _opened(files, suite) as (results, again):
        run_golds(suite, results, graders)
        found = evaluate(suite, results, graders, predictions, confidences, on_question, again)
        compared_with = (
            evaluate(
                suite, results, graders, read_predictions(files.against), None, on_question, again
            )
            if files.against
            else None
        )
    return _report(files, graders, suite, found, compared_with)


@contextmanager
def _opened(files: Files, suite: Suite) -> Iterator[tuple[Results, Results | None]]:
    """Opens the database; for many queries a copy with indexes, and the database itself."""
    limits = Limits(processes=processors())
    with closing(open_database(files.database, limits)) as database:
        alone = Results(database, files.statement_seconds)
        if len(suite.tasks) < _MANY:
            yield alone, None
        else:
            with indexed(database, limits) as copy:
                results = Results(copy, files.statement_seconds)
                yield results, None if copy is database else alone


def _suite(files: Files) -> Suite:
    if files.now is not None and not is_time(files.now):
        raise UserError(f"{files.now!r} is no time written as {EXAMPLE_TIME}.")
    return at_time(load_tasks(files.labels), files.now)


def _report(
    files: Files,
    graders: Sequence[Grader],
    suite: Suite,
    found: Evaluation,
    compared_with: Evaluation | None,
) -> FileReport:
    names = [grader.name for grader in graders]
    shown = tables(found.scored, files.penalties)
    if compared_with and files.against:
        first, second = (str(path) for path in (files.predictions, files.against))
        judged = [
            [answer.judged[names[0]] for answer in evaluation.scored]
            for evaluation in (found, compared_with)
        ]
        compared = compare_paired(judged[0], judged[1], files.penalties)
        shown = {"paired": paired_table(compared, names[0], first, second), **shown}
    curves = {"risk_coverage": risk_curve(found.scored, names)} if files.confidences else {}
    figures = estimated_scores(by_question(found.scored, names[0]), files.penalties)
    return FileReport(names[0], figures, Summary(shown, curves), found, suite)
