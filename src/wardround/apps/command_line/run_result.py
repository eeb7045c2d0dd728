"""Shows the result of a run, or how to resume it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import typer

HEADLINE = 2


@contextmanager
def interruptible(folder: Path) -> Iterator[None]:
    """Prints how to resume the run if the user interrupts it."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped; go on with: wardround resume {folder}", err=True)
        raise typer.Exit(130) from None


def show_result(folder: Path, html: Path | None, *, as_json: bool) -> None:
    """Shows the first tables, and writes the HTML report if requested."""
    from wardround.apps.command_line.output import print_json, print_report
    from wardround.report.run_report import read_report, report_to_json, write_html
    from wardround.runs.scoring import GoldReader

    golds = GoldReader(folder, partial(typer.echo, err=True))
    report = read_report(folder, None, golds.explanation, golds.conversation)
    if as_json:
        for notice in report.notices:
            typer.echo(notice, err=True)
        print_json(report_to_json(report))
    elif unprinted := print_report(report, first=HEADLINE):
        typer.echo(f"More with: wardround report {folder} ({', '.join(unprinted)})", err=True)
    if html is not None:
        write_html(report, html, force=True)
        typer.echo(f"Report: {html}", err=True)
