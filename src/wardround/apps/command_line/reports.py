"""Commands that show runs: report, compare, trace, replay."""

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.run_options import FailUnder

if TYPE_CHECKING:
    from wardround.core.benchmark import Summary
    from wardround.core.record import TrialRecord


class Format(StrEnum):
    """A form of printed tables."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    LATEX = "latex"


FormatOption = Annotated[
    Format, typer.Option("--format", help="Print tables as text, JSON, CSV or LaTeX.")
]
TableName = Annotated[str | None, typer.Option("--table", help="Print this table only.")]
RunFolder = Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)]
TrialName = Annotated[str, typer.Argument(help="A trial, as TASK or TASK:NUMBER.")]


def report(
    run: RunFolder,
    html: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
    plots: Annotated[Path | None, typer.Option(help="Write the plots to this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    form: FormatOption = Format.TEXT,
    table: TableName = None,
    judge: Annotated[str | None, typer.Option(help="Score by the verdicts of this judge.")] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Print empty tables, equal rows and constant columns.")
    ] = False,
    text: Annotated[
        bool,
        typer.Option(
            "--with-text/--without-text",
            help="Include messages and tool results in the file of --html.",
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --html.")] = False,
    fail_under: FailUnder = None,
) -> None:
    """Show a run's tables; write them with every trial as one HTML file."""
    from wardround.apps.command_line.output import print_json, print_report
    from wardround.apps.command_line.run_result import check_percentage
    from wardround.core.errors import UserError
    from wardround.report.run_report import check_free, read_report, report_to_json, write_html
    from wardround.runs.scoring import GoldReader

    if html is None and not text:
        raise UserError("--without-text needs --html FILE, the page that it leaves texts out of.")
    if html is not None:
        check_free(html, force=force)
    golds = GoldReader(run, partial(typer.echo, err=True), judge or "")
    contents = read_report(run, _records_by(run, judge), golds.explanation, golds.conversation)
    form = Format.JSON if as_json else form
    shown = _shown(contents.summary, table)
    # Files come first: a reader of the printed tables may close the pipe.
    if html is not None:
        write_html(contents, html, force=force, with_text=text)
        typer.echo(f"Report: {html}", err=True)
    _save_plots(contents.summary, plots)
    for notice in contents.notices if form is not Format.TEXT else ():
        typer.echo(notice, err=True)
    if table is None and form is Format.TEXT:
        print_report(contents, whole=whole)
    elif table is None and form is Format.JSON:
        print_json(report_to_json(contents))
    else:
        _print_tables(shown, form, heads=table is None, whole=whole)
    check_percentage(contents, fail_under)


def _shown(summary: "Summary", name: str | None) -> "Summary":
    """All tables of a summary, or the named one.

    Raises:
        UserError: there is no table of that name.
    """
    from wardround.report.exports import only_table

    return summary if name is None else only_table(summary, name)


def _save_plots(summary: "Summary", folder: Path | None) -> None:
    if folder is not None:
        from wardround.report.svg import save_plots

        for path in save_plots(summary, folder):
            typer.echo(f"Plot: {path}", err=True)


def _print_tables(summary: "Summary", form: Format, *, heads: bool, whole: bool) -> None:
    """Prints the tables of a summary; in CSV with `heads`, each after "#", its name and title."""
    from wardround.apps.command_line.output import print_summary
    from wardround.report.exports import to_csv, to_latex

    match form:
        case Format.TEXT | Format.JSON:
            print_summary(summary, as_json=form is Format.JSON, whole=whole)
        case Format.LATEX:
            typer.echo("\n\n".join(to_latex(each, key) for key, each in summary.tables.items()))
        case Format.CSV:
            blocks = [
                (f"# {key}: {each.title}\n" if heads else "") + to_csv(each)
                for key, each in summary.tables.items()
            ]
            typer.echo("\n".join(blocks), nl=False)


def _records_by(run: Path, judge: str | None) -> "list[TrialRecord] | None":
    """The trials scored by a judge's verdicts; None for the run's own."""
    if judge is None:
        return None
    from wardround.runs.scoring import records_by

    return records_by(run, judge)


def compare(
    runs: Annotated[list[Path], typer.Argument(help="The runs' folders.", show_default=False)],
    plots: Annotated[Path | None, typer.Option(help="Write the plots to this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    form: FormatOption = Format.TEXT,
    table: TableName = None,
) -> None:
    """Compare runs of one benchmark, labelled with the settings that differ."""
    from wardround.report.comparison import compare_runs

    comparison = compare_runs(runs)
    shown = _shown(comparison, table)
    _save_plots(comparison, plots)
    form = Format.JSON if as_json else form
    _print_tables(shown, form, heads=table is None, whole=False)


def trace(
    run: RunFolder,
    trial: TrialName,
    lines: Annotated[int, typer.Option(min=1, help="Lines shown of each event.")] = 12,
) -> None:
    """Show the events of a trial: messages, tool calls and results."""
    from wardround.report.trace import trial_text
    from wardround.runs.scoring import GoldReader

    golds = GoldReader(run, partial(typer.echo, err=True))
    typer.echo(trial_text(run, trial, lines, golds.explanation))


def replay(
    run: RunFolder,
    trial: Annotated[
        str, typer.Argument(help="A trial, as TASK or TASK:NUMBER. [lists the trials]")
    ] = "",
) -> None:
    """Repeat a trial's actions on its database, without any model, and compare the results."""
    from wardround.runs.replay import replay_trial, replayable

    if not trial:
        typer.echo(replayable(run))
        raise typer.Exit(2)
    outcome = replay_trial(run, trial)
    if not outcome.compared:
        typer.echo(
            "The trial has no tool result to compare: its agent called no tool, as an oracle that "
            "says the gold does not. There is something to replay in trials whose agent queried."
        )
        return
    typer.echo(f"{outcome.same} of {outcome.compared} results are the same.")
    for difference in outcome.differences:
        typer.echo(difference)
    if outcome.differences:
        raise typer.Exit(1)
