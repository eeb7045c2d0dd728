"""`wardround score RUN`: grades a run's trajectories again."""

from pathlib import Path
from typing import Annotated

import typer


def score_run(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Grade a run's trajectories again, without any model, and keep the new grades."""
    from wardround.apps.command_line.output import print_summary
    from wardround.report.run_report import read_report
    from wardround.runs.regrading import rescore

    changes = rescore(run)
    print_summary(read_report(run).summary, as_json=as_json)
    typer.echo(f"{changes.scored} trials scored again, {len(changes.changed)} changed.", err=True)
    for line in (*changes.changed, *changes.kept):
        typer.echo(line, err=True)
