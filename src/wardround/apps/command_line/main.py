"""The command `wardround`: what it offers, and how an error is told."""

import sys

import typer

from wardround import __version__
from wardround.apps.command_line import inspecting, running, tasks
from wardround.core.errors import WardroundError

app = typer.Typer(
    name="wardround",
    help="Tells whether an AI agent can be trusted with a patient database.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("run")(running.run)
app.command("score")(inspecting.score)
app.command("report")(inspecting.report)
app.command("trace")(inspecting.trace)
app.command("replay")(inspecting.replay)
app.command("list")(inspecting.list_plugins)
app.add_typer(tasks.app, name="tasks")


def main() -> None:
    """Runs the command line; an error is one sentence on standard error, never a traceback."""
    try:
        app()
    except WardroundError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
        sys.exit(130)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wardround {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
    verbose: bool = typer.Option(
        False, "--verbose", help="Log what happens: ids and counts, never patients' values."
    ),
) -> None:
    """What every command takes."""
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
