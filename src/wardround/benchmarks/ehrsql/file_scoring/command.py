"""Scores a file of predictions: `wardround score ehrsql`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.benchmarks.ehrsql.current_times import timed
from wardround.benchmarks.ehrsql.declaration import FileOptions
from wardround.benchmarks.ehrsql.file_scoring.predictions import (
    Predictions,
    read_confidences,
    read_predictions,
)
from wardround.benchmarks.ehrsql.gold import known_among, run_answer, run_gold, run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS, Grader
from wardround.benchmarks.ehrsql.judge import ABSENT, graded_question
from wardround.benchmarks.ehrsql.report import LONG, by_question, paired_table, risk_curve, tables
from wardround.benchmarks.ehrsql.result_cache import Ran, Results, at_once, processors
from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, is_refusal, load_tasks
from wardround.benchmarks.kit.published_files import read_json
from wardround.benchmarks.kit.published_results import first_ids, scored_result
from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Limits, open_database
from wardround.scoring.abstention import (
    PENALTIES,
    Estimate,
    GradedQuestion,
    compare_paired,
    estimated_scores,
)


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
        gold = run_gold(task, results, grader)
        judged[grader.name] = graded_question(gold, answer, grader)
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


_PROBLEMS = {
    "absent": "no prediction",
    "unusable": "prediction cannot be used",
    "syntax": "SQL that is wrong",
    "denied": "SQL that does more than read",
    "timeout": "SQL that does not end in time",
    "limit": "SQL that needs or returns too much",
    "runtime": "SQL that fails",
}


@dataclass(frozen=True, slots=True)
class FileReport:
    """The scores of a file of predictions.

    Attributes:
        grading: the grading of `figures`.
        figures: the paper's figures in percent.
        summary: all figures as tables and a curve.
        evaluation: the scored questions, with their problems.
        suite: the questions; labels that cannot be read are its defects.
        left_out: reasons by id for tasks that the run left out, if a run made the predictions.
    """

    grading: str
    figures: Mapping[str, Estimate]
    summary: Summary
    evaluation: Evaluation
    suite: Suite
    left_out: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Returns figures, intervals, problems and each question's verdict as JSON values."""
        ends = {n: e.interval for n, e in self.figures.items()}
        return {
            "grading": self.grading,
            "questions": len(self.evaluation.scored),
            **{name: estimate.value for name, estimate in self.figures.items()},
            "intervals": {n: [i.low, i.high] if i else None for n, i in ends.items()},
            "problems": {name: list(ids) for name, ids in self.problems().items()},
            "verdicts": {answer.id: _verdict(answer) for answer in self.evaluation.scored},
        }

    def problems(self) -> dict[str, Sequence[str]]:
        """Returns ids by problem, without empty problems."""
        by_problem: dict[str, list[str]] = {
            "known defects": [defect.where for defect in self.evaluation.known],
            "golds without a result": [defect.where for defect in self.evaluation.failing],
            "labels that cannot be read": [defect.where for defect in self.suite.defects],
            "predictions for no question": list(self.evaluation.unknown),
            "predicted twice": list(self.evaluation.duplicates),
            'not exactly "null", so an answer': list(self.evaluation.almost_null),
            "without a confidence": list(self.evaluation.without_confidence),
        }
        for answer in self.evaluation.scored:
            if answer.problem:
                by_problem.setdefault(self._problem(answer), []).append(answer.id)
        return {name: ids for name, ids in by_problem.items() if ids}

    def _problem(self, answer: Scored) -> str:
        if answer.problem == "absent" and answer.id in self.left_out:
            return "left out by the run"
        return _PROBLEMS.get(answer.problem, answer.problem)


def score(options: FileOptions, context: WorkContext[object]) -> WorkResult:
    """Scores predictions by right answers and right refusals.

    Raises:
        UserError: a file cannot be read, or the labels belong to another database.
    """
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        context.progress(done, None, "questions")

    report = score_files(options, advance)
    problems = tuple(
        f"{len(ids)} {problem}: {first_ids(ids)}" for problem, ids in report.problems().items()
    )
    left_out = tuple(f"Left out {id}: {reason}" for id, reason in report.left_out.items())
    return scored_result(
        report.summary,
        None,
        written=None,
        plots=None,
        problems=problems + left_out,
        values=report.as_json(),
        long=(LONG,),
    )


def score_files(options: FileOptions, on_question: Callable[[], None] = lambda: None) -> FileReport:
    """Scores predictions against labels.

    Args:
        options: the files, the database and the grading.
        on_question: called after each question.

    Raises:
        UserError: a file cannot be read, or the labels belong to another database.
    """
    graders = list(dict.fromkeys([GRADERS[options.grading], GRADERS["strict"]]))
    predictions = read_predictions(options.predicted)
    confidences = read_confidences(options.confidences) if options.confidences else None
    against = read_predictions(options.against) if options.against else None
    with closing(open_database(options.database, Limits(processes=processors()))) as database:
        suite = timed(load_tasks(options.labels), options.current_time, database).suite
        results = Results(database, options.statement_seconds)
        run_golds(suite, results, graders)
        evaluation = evaluate(suite, results, graders, predictions, confidences, on_question)
        rival = evaluate(suite, results, graders, against) if against else None
    return _report(options, suite, evaluation, rival)


def _report(
    options: FileOptions, suite: Suite, evaluated: Evaluation, rival: Evaluation | None
) -> FileReport:
    penalties = tuple(dict.fromkeys([*PENALTIES, *options.penalty]))
    names = list(dict.fromkeys([options.grading, "strict"]))
    report_tables = tables(evaluated.scored, penalties)
    if rival:
        first, second = (
            [answer.judged[names[0]] for answer in evaluation.scored]
            for evaluation in (evaluated, rival)
        )
        compared = compare_paired(first, second, penalties)
        systems = (str(options.predicted), str(options.against))
        report_tables = {"paired": paired_table(compared, names[0], *systems), **report_tables}
    curves = {"risk_coverage": risk_curve(evaluated.scored, names)} if options.confidences else {}
    figures = estimated_scores(by_question(evaluated.scored, names[0]), penalties)
    left_out = _left_out(options.predicted)
    return FileReport(names[0], figures, Summary(report_tables, curves), evaluated, suite, left_out)


def _left_out(predictions: Path) -> dict[str, str]:
    """Reads the tasks that the run beside a file of predictions left out, with reasons."""
    run = predictions.with_name("run.json")
    if not run.is_file():
        return {}
    defects = read_json(run)["tasks"]["defects"]
    return {defect["where"]: defect["reason"] for defect in defects}


def _verdict(answer: Scored) -> dict[str, Any]:
    judged = next(iter(answer.judged.values()))
    return {
        "answerable": judged.answerable,
        "answered": judged.answered,
        "right": {grading: graded.credited for grading, graded in answer.judged.items()},
        "problem": _PROBLEMS.get(answer.problem, answer.problem),
        "confidence": answer.confidence,
    }
