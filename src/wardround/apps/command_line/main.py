"""The command `wardround`: its commands, its error messages, and the hiding of passwords."""

import errno
import os
import re
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import typer

from wardround import __version__
from wardround.apps.command_line.lazy import lazy_group
from wardround.core.errors import WardroundError
from wardround.core.installed_packages import refuse_compiled_sqlglot
from wardround.core.plugins import plugin_of
from wardround.core.url_passwords import remember_any_password, remember_passwords

_REMEDIES = {
    errno.ENOSPC: "free space on its disk",
    errno.EDQUOT: "free space within your quota",
    errno.EADDRINUSE: "choose another port",
    errno.EADDRNOTAVAIL: "choose an address of this machine",
    errno.EMFILE: "lower --concurrency, or raise the limit of open files (ulimit -n)",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "name a file, not a folder",
}
# Messages of embedded databases on a full disk.
_FULL = ("disk is full", "no space left on device")

_DATABASE = re.compile(r"(?s)(?P<name>[^:/]*=)?(?P<url>postgres(?:ql)?://(?P<rest>.*))")
_PASSWORD_VARIABLE = "PGPASSWORD"  # noqa: S105 - the name of a variable
# Fields of /proc/self/stat after the name of the program: the addresses of arguments and of the
# environment.
_ARGUMENTS, _ENVIRONMENT = slice(45, 47), slice(47, 49)

_HERE = "wardround.apps.command_line"
COMMANDS = {
    "run": (f"{_HERE}.run:command", "Run an agent on a benchmark."),
    "resume": (f"{_HERE}.resume:resume", "Finish an interrupted run."),
    "session": (f"{_HERE}.session:command", "Play trials over lines of JSON."),
    "assess": (f"{_HERE}.assess:command", "Tell if an agent can be trusted with a database."),
    "audit": (f"{_HERE}.audit:command", "Tell if a benchmark can be passed unsolved."),
    "serve": (f"{_HERE}.serve:command", "Let people ask an assessed agent."),
    "mcp": (f"{_HERE}.mcp:command", "Let MCP clients read a database."),
    "report": (f"{_HERE}.reports:report", "Show a run's tables; write them as HTML."),
    "view": (f"{_HERE}.view:view", "Show runs in a browser."),
    "export": (f"{_HERE}.export:app", "Write a run for other tools."),
    "compare": (f"{_HERE}.reports:compare", "Compare runs of one benchmark."),
    "leaderboard": (f"{_HERE}.leaderboard:leaderboard", "Rank runs on a page."),
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
    "suite": (f"{_HERE}.suite:app", "Share suites of tasks."),
    "annotate": (f"{_HERE}.annotate:annotate", "Write and validate items in a browser."),
    "people": (f"{_HERE}.people:command", "Test simulated people."),
    "data": (f"{_HERE}.data:app", "Build, prepare and change databases."),
    "fhir": (f"{_HERE}.fhir:app", "Serve FHIR records."),
    "new": (f"{_HERE}.new:new", "Make a package for a plug-in."),
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
    refuse_compiled_sqlglot()
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")


def hide_databases() -> None:
    """Hides the URLs of databases among the arguments, and passwords there and in `PGPASSWORD`."""
    for position, argument in enumerate(sys.argv[1:], start=1):
        if match := _DATABASE.fullmatch(argument):
            sys.argv[position] = (match["name"] or "") + remember_passwords(match["url"])
            _overwrite(_ARGUMENTS, match["rest"].encode(errors="surrogateescape"))
    if password := os.environ.pop(_PASSWORD_VARIABLE, None):
        remember_any_password(password)
        _overwrite(_ENVIRONMENT, os.fsencode(password))


def _overwrite(fields: slice, text: bytes) -> None:
    """Overwrites a text in the memory that /proc shows (Linux)."""
    stat = Path("/proc/self/stat")
    if not text or not stat.is_file():
        return
    import ctypes

    start, end = map(int, stat.read_bytes().rpartition(b") ")[2].split()[fields])
    content = ctypes.string_at(start, end - start) if start else b""
    at = content.find(text)
    while at >= 0:
        ctypes.memset(start + at, ord("*"), len(text))
        at = content.find(text, at + len(text))


def fault_sentence(error: Exception) -> str:
    """The sentence that a user reads about an exception that nothing expected.

    >>> fault_sentence(OSError(28, "No space left on device", "r/trials.jsonl"))
    'r/trials.jsonl: No space left on device; free space on its disk.'
    """
    text = f"{type(error).__name__}: {error}".rstrip(".")
    if plugin := _faulty_plugin(error.__traceback__):
        return f"The plug-in {plugin} failed ({text}); report it to its authors, not to wardround."
    if isinstance(error, OSError):
        where = error.filename or "an unnamed file or address"
        remedy = _REMEDIES.get(error.errno or 0, "check the path and its permissions")
        return f"{where}: {error.strerror or error}; {remedy}."
    if any(words in str(error).lower() for words in _FULL):
        return f"The disk is full ({text}); free space on it, or on that of TMPDIR."
    return (
        f"{text}. This is a bug in wardround; please report it with the output of --verbose "
        "before the command."
    )


def _faulty_plugin(raised: TracebackType | None) -> str:
    """The plug-in whose code the exception came from; "" for wardround's own.

    Frames of other libraries belong to whoever called them.
    """
    for frame, _ in reversed(list(traceback.walk_tb(raised))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == "wardround":
            return ""
        if plugin := plugin_of(module):
            return plugin
    return ""
