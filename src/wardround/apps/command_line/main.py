"""The command `wardround`: what it offers, and how an error is told."""

import sys
from typing import NoReturn

import typer

from wardround import __version__
from wardround.apps.command_line import ask as asking
from wardround.apps.command_line import data, doctor, judge, people, tasks, train
from wardround.apps.command_line import reports as inspecting
from wardround.apps.command_line import run as running
from wardround.apps.command_line import score as scoring
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
app.command("ask")(asking.ask)
app.command("report")(inspecting.report)
app.command("compare")(inspecting.compare)
app.command("judge")(judge.judge)
app.command("trace")(inspecting.trace)
app.command("replay")(inspecting.replay)
app.command("list")(inspecting.list_plugins)
app.command("doctor")(doctor.doctor)
app.add_typer(data.app, name="data")
app.add_typer(people.app, name="people")
app.add_typer(scoring.app, name="score")
app.add_typer(tasks.app, name="tasks")
app.add_typer(train.app, name="train")


def main() -> None:
    """Runs the command line; an error is one sentence on standard error, never a traceback."""
    try:
        app()
    except WardroundError as error:
        _fail(str(error), 2)
    except OSError as error:
        where = error.filename or "a file that the system does not name"
        _fail(f"{where}: {error.strerror or error}; check the path and your rights to it.", 2)
    except KeyboardInterrupt:
        _fail("Stopped.", 130)
    except Exception as error:
        if "--verbose" in sys.argv:
            raise
        _fail(
            f"{type(error).__name__}: {error}. This is a fault of wardround itself; please report "
            "it with what --verbose before the command shows.",
            70,
        )


def _fail(message: str, code: int) -> NoReturn:
    typer.echo(f"Error: {message}", err=True)
    sys.exit(code)


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
