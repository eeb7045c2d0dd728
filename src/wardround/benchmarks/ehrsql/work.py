"""Scores a file of predictions, as `wardround score` asks for it."""

from collections.abc import Sequence
from pathlib import Path

from wardround.benchmarks.ehrsql.declaration import FileOptions
from wardround.benchmarks.ehrsql.files import Files, score_files
from wardround.benchmarks.ehrsql.report import LONG
from wardround.core.work import WorkContext, WorkResult
from wardround.scoring.abstention import PENALTIES

SHOWN_IDS = 5


def score(options: FileOptions, context: WorkContext) -> WorkResult:
    """Scores predictions by what they answer and what they refuse.

    Raises:
        UserError: a file cannot be read, or the labels belong to another database.
    """
    files = Files(
        predictions=options.file or options.predictions or Path(),
        labels=options.labels,
        database=options.database,
        mode=options.grading,
        confidences=options.confidences,
        against=options.against,
        penalties=tuple(dict.fromkeys([*PENALTIES, *options.penalty])),
        now=options.current_time,
        statement_seconds=options.statement_seconds,
    )
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        context.progress(done, None, "questions")

    report = score_files(files, advance)
    problems = tuple(
        f"{len(ids)} {problem}: {_first(ids)}" for problem, ids in report.problems().items()
    )
    long = tuple(name for name in report.summary.tables if name == LONG)
    return WorkResult(report.summary, problems=problems, values=report.as_json(), long=long)


def _first(ids: Sequence[str]) -> str:
    more = len(ids) - SHOWN_IDS
    return ", ".join(ids[:SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")
