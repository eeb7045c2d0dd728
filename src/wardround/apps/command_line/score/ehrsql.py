"""`wardround score ehrsql`: a file of predictions against EHRSQL's labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wardround.benchmarks.ehrsql.files import FileReport

SHOWN_IDS = 5


def score_ehrsql(
    predictions: Annotated[Path, typer.Option(help='A JSON file, {id: SQL or "null"}.')],
    labels: Annotated[
        Path,
        typer.Option(help="A folder of EHRSQL 2024, or a file of EHRSQL 1.5, as published."),
    ],
    database: Annotated[str, typer.Option(help="The database that the labels are for.")],
    mode: Annotated[
        str, typer.Option(help="How answers are compared: ehrsql-1.5, ehrsql-2024 or strict.")
    ],
    confidences: Annotated[
        Path | None,
        typer.Option(help="A JSON file, {id: confidence}; a greater number is surer."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another system's predictions, to be compared with.")
    ] = None,
    penalty: Annotated[
        list[float] | None,
        typer.Option(min=0, help="A c of RS(c), beside 0, 5, 10 and N; may be repeated."),
    ] = None,
    current_time: Annotated[
        str | None,
        typer.Option(help="What the word current_time stands for. [that of the labels]"),
    ] = None,
    statement_seconds: Annotated[
        float, typer.Option(min=0.001, help="Seconds for a query; the published graders give 60.")
    ] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Score predictions by what they answer and what they refuse: F1, RS(c), risk by coverage."""
    from rich.console import Console
    from rich.progress import Progress

    from wardround.benchmarks.ehrsql.files import Files, score_files
    from wardround.scoring.abstention import PENALTIES

    files = Files(
        predictions=predictions,
        labels=labels,
        database=database,
        mode=mode,
        confidences=confidences,
        against=against,
        penalties=tuple(dict.fromkeys([*PENALTIES, *(penalty or ())])),
        now=current_time,
        statement_seconds=statement_seconds,
    )
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("questions", total=None)
        report = score_files(files, lambda: progress.advance(bar))
    if as_json:
        _print_json(report)
    else:
        _print_tables(report)
    for problem, ids in report.problems().items():
        typer.echo(f"{len(ids)} {problem}: {_some(ids)}", err=True)


def _print_tables(report: "FileReport") -> None:
    from wardround.apps.command_line.output import print_summary
    from wardround.benchmarks.ehrsql.report import LONG

    shown = [name for name in report.summary.tables if name != LONG]
    if print_summary(report.summary, as_json=False, first=len(shown)):
        typer.echo(f"More with --json: {LONG}", err=True)


def _print_json(report: "FileReport") -> None:
    import orjson

    from wardround.report.tables import summary_to_json

    found = report.as_json() | summary_to_json(report.summary)
    typer.echo(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())


def _some(ids: Sequence[str]) -> str:
    more = len(ids) - SHOWN_IDS
    return ", ".join(ids[:SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")
