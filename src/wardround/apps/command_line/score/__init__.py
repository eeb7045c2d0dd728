"""`wardround score`: a run's trajectories again, or a file of predictions of a benchmark."""

import typer

from wardround.apps.command_line.score import ehrsql, run
from wardround.apps.command_line.score.default import RunByDefault

app = typer.Typer(
    cls=RunByDefault,
    help="Grade a run again (RUN, or run RUN), or a file of predictions of a benchmark.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Grade a run again (RUN, or run RUN), or a file of predictions of a benchmark."""


app.command("run")(run.score_run)
app.command("ehrsql")(ehrsql.score_ehrsql)
