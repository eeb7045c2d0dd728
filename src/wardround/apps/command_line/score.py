"""`wardround score`: scores a file of predictions, or a run's trials again."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from wardround.apps.command_line.lazy import load_command
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.run_options import Trust
from wardround.apps.command_line.work import work_command
from wardround.core import plugins
from wardround.core.errors import UserError

SCORE: Final = "score"


def score_run(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
    trust: Trust = False,
) -> None:
    """Score a run again from its stored verdicts, and keep the new scores."""
    from wardround.apps.command_line.output import print_summary
    from wardround.core.run_reader import read_settings
    from wardround.report.run_report import read_report
    from wardround.runs.scoring import score_run as rescore

    changes = rescore(run, trust=trust)
    print_summary(read_report(run).summary, as_json=as_json)
    typer.echo(f"{changes.scored} trials scored again, {len(changes.changed)} changed.", err=True)
    defects = read_settings(run)["tasks"]["defects"]
    left_out = [f"Left out {defect['where']}: {defect['reason']}" for defect in defects]
    for line in (*changes.changed, *changes.unchanged, *left_out):
        typer.echo(line, err=True)


def run_command(word: str) -> Any:
    """The command that scores a run; refuses names of benchmarks that cannot score files."""
    if word in plugins.names(plugins.BENCHMARKS):
        scorers = ", ".join(plugins.names(plugins.work(SCORE)))
        raise UserError(
            f"{word} cannot score a file of predictions; only {scorers} can. A run in a folder of "
            f"that name is ./{word}."
        )
    return load_command(f"{__name__}:score_run", "RUN")


command = PluginGroup(
    "score",
    "Score a file of predictions (NAME FILE), or a run's trials again (RUN); a run in a folder "
    "named like a benchmark is ./NAME.",
    "NAME|RUN",
    plugins.work(SCORE),
    partial(work_command, SCORE),
    run_command,
)
