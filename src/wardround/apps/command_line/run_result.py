"""Shows the result of a run, or how to resume it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from wardround.report.html import ReportInput

HEADLINE = 2


@contextmanager
def interruptible(folder: Path) -> Iterator[None]:
    """Prints how to resume the run if the user interrupts it."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped; go on with: wardround resume {folder}", err=True)
        raise typer.Exit(130) from None


def show_result(
    folder: Path, html: Path | None, *, as_json: bool, fail_under: float | None
) -> None:
    """Shows the first tables, and writes the HTML report if requested.

    Raises:
        typer.Exit: with 1 if the run says nothing about its agent, or fewer tasks were right.
    """
    from wardround.apps.command_line.output import print_json, print_report
    from wardround.report.headline import nothing_measured
    from wardround.report.run_report import read_report, report_to_json, write_html
    from wardround.runs.scoring import GoldReader

    golds = GoldReader(folder, partial(typer.echo, err=True))
    report = read_report(folder, None, golds.explanation, golds.conversation)
    if html is not None:
        write_html(report, html, force=True)
        typer.echo(f"Report: {html}", err=True)
    if as_json:
        for notice in report.notices:
            typer.echo(notice, err=True)
        print_json(report_to_json(report))
    elif unprinted := print_report(report, first=HEADLINE):
        typer.echo(f"More with: wardround report {folder} ({', '.join(unprinted)})", err=True)
    if problem := nothing_measured(report.trials):
        fail(problem)
    check_percentage(report, fail_under)


def check_percentage(report: "ReportInput", fail_under: float | None) -> None:
    """Exits with 1 if fewer tasks were right than a percentage, or the run is not sound."""
    from wardround.report.headline import right_percentage

    if fail_under is None:
        return
    if not report.is_sound:
        fail("--fail-under fails: the run is unfinished, not verified or changed, as said above.")
    if (right := right_percentage(report.trials)) < fail_under:
        fail(f"{right:.1f}% of tasks were right, which is under --fail-under {fail_under:g}.")


def fail(problem: str) -> NoReturn:
    """Exits with 1 and says why."""
    typer.echo(problem, err=True)
    raise typer.Exit(1)
