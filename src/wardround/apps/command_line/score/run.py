"""`wardround score RUN`: scores a run again from its stored verdicts."""

from pathlib import Path
from typing import Annotated

import typer


def score_run(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Score a run again from its stored verdicts, and keep the new scores."""
    from wardround.apps.command_line.output import print_summary
    from wardround.report.run_report import read_report
    from wardround.runs.scoring import score_run as rescore

    changes = rescore(run)
    print_summary(read_report(run).summary, as_json=as_json)
    typer.echo(f"{changes.scored} trials scored again, {len(changes.changed)} changed.", err=True)
    for line in (*changes.changed, *changes.kept):
        typer.echo(line, err=True)
