"""Scores a file of predictions: `wardround score ehrsql`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.benchmarks.ehrsql.current_times import timed
from wardround.benchmarks.ehrsql.declaration import FileOptions
from wardround.benchmarks.ehrsql.file_scoring.evaluate import Evaluation, evaluate
from wardround.benchmarks.ehrsql.file_scoring.predictions import read_confidences, read_predictions
from wardround.benchmarks.ehrsql.gold import run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.report import LONG, by_question, paired_table, risk_curve, tables
from wardround.benchmarks.ehrsql.result_cache import Results, processors
from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.benchmarks.kit.published_files import read_json
from wardround.benchmarks.kit.published_results import first_ids, scored_result
from wardround.core.benchmark import Summary
from wardround.core.task import Suite
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Limits, open_database
from wardround.scoring.abstention import PENALTIES, Estimate, compare_paired, estimated_scores

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
