"""The command `wardround`: its commands and its error messages."""

import os
import sys
from typing import NoReturn

import typer

from wardround import __version__
from wardround.apps.command_line.command_memory import hide_databases
from wardround.apps.command_line.lazy import lazy_group
from wardround.core.errors import WardroundError

_HERE = "wardround.apps.command_line"
COMMANDS = {
    "run": (f"{_HERE}.run:command", "Run an agent on a benchmark."),
    "resume": (f"{_HERE}.resume:resume", "Finish an interrupted run."),
    "assess": (f"{_HERE}.assess:command", "Tell if an agent can be trusted with a database."),
    "report": (f"{_HERE}.reports:report", "Show a run's tables; write them as HTML."),
    "compare": (f"{_HERE}.reports:compare", "Compare runs of one benchmark."),
    "trace": (f"{_HERE}.reports:trace", "Show the events of a trial."),
    "replay": (f"{_HERE}.reports:replay", "Repeat a trial's actions, without any model."),
    "score": (f"{_HERE}.score:command", "Score a file of predictions, or a run again."),
    "judge": (f"{_HERE}.judge:judge", "Grade a run's trials again, by programs or models."),
    "agreement": (
        f"{_HERE}.agreement:command",
        "Compare verdicts of programs, models and people.",
    ),
    "ask": (f"{_HERE}.ask:ask", "Ask a database a question."),
    "train": (f"{_HERE}.train:command", "Train an agent on questions with their SQL."),
    "tasks": (f"{_HERE}.tasks:command", "Make and check tasks."),
    "annotate": (f"{_HERE}.annotate:annotate", "Write and validate items in a browser."),
    "people": (f"{_HERE}.people:command", "Test simulated people."),
    "data": (f"{_HERE}.data:app", "Build, prepare and change databases."),
    "fhir": (f"{_HERE}.fhir:app", "Serve FHIR records."),
    "doctor": (f"{_HERE}.doctor:doctor", "Check a database."),
    "list": (f"{_HERE}.plugin_list:list_plugins", "List what is installed."),
}

app = typer.Typer(
    name="wardround",
    help="Test whether an AI agent can be trusted with a patient database.",
    cls=lazy_group(COMMANDS),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """Runs the command line; an error is one sentence on standard error, never a traceback."""
    # Pydantic plug-ins would see patient data, and searching for them takes time.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    hide_databases()
    try:
        app()
    except WardroundError as error:
        _fail(str(error), 2)
    except KeyboardInterrupt:
        _fail("Stopped.", 130)
    except Exception as error:
        if "--verbose" in sys.argv and not isinstance(error, OSError):
            raise
        from wardround.apps.command_line.faults import fault_sentence

        _fail(fault_sentence(error), 2 if isinstance(error, OSError) else 70)


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
        False, "--verbose", help="Log progress: ids and counts, never patients' values."
    ),
) -> None:
    """Options of every command."""
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
