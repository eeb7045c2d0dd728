"""`wardround ask`: questions about a database, each with what was understood and the SQL."""

import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.ask_output import Line, answered, show, show_json
from wardround.apps.command_line.asked_model import BaseUrl, Record, Replay, opened_model

if TYPE_CHECKING:
    from wardround.ehr.database import Database

# The share of the training that is done when a step begins, in percent.
STEPS = {"making questions": 0, "reading": 22, "learning": 42, "checking": 51}

# The agent that answers; it declares how in the group `wardround.answers`.
AGENT = "parser"


def ask(
    database: Annotated[str, typer.Option(help="The database: a file or a URL.")],
    question: Annotated[str | None, typer.Argument(help="A question, in quotes.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="A file of questions, one a line. [standard input without a question]"),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print a JSON array with an object for each question.")
    ] = False,
    penalty: Annotated[
        float | None,
        typer.Option(help="The cost of a wrong answer; a right one scores 1.", min=0),
    ] = None,
    record_map: Annotated[
        Path | None,
        typer.Option("--map", help="Read the records by a record map. [that of the layout]"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="A language model that writes the SQL, as PROVIDER:NAME[,SETTING=VALUE...]. "
            "[the parser, which needs none]"
        ),
    ] = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    agent_model: Annotated[
        Path | None,
        typer.Option(
            help="A file of `wardround train parser`. [trained once on generated questions]"
        ),
    ] = None,
) -> None:
    """Ask a database questions; exit 1 if one has no trusted answer."""
    from contextlib import closing

    from wardround.core import plugins
    from wardround.core.errors import UserError
    from wardround.ehr.database import open_database

    asked = _asked(question, questions)
    if record_map and agent_model:
        raise UserError("Give --map or --agent-model, not both.")
    with (
        closing(open_database(database)) as opened,
        opened_model(model, base_url, record, replay) as named,
    ):
        recording = {"model": named[0], "run": named[1].run} if named else {}
        open_answerer = plugins.load("wardround.answers", AGENT)
        answerer = open_answerer(
            opened,
            lambda: agent_model or trained(opened, record_map),
            is_current=agent_model is None,
            penalty=penalty,
            record_map=record_map,
            **recording,
        )
        for note in answerer.notes:
            typer.echo(f"Note: {note}", err=True)
        answers = (answered(line, answerer.answer, opened, json) for line in asked)
        shown = show_json(answers) if json else show(answers, len(asked) > 1)
    if refused := [entry["line"] for entry in shown if entry["refused"]]:
        if len(asked) > 1:
            lines = ", ".join(map(str, refused))
            typer.echo(f"No answer to {len(refused)} of {len(asked)}: lines {lines}.", err=True)
        raise typer.Exit(1)


def _asked(question: str | None, questions: Path | None) -> list[Line]:
    """The questions: the argument, the lines of a file, or those of standard input."""
    from wardround.core.errors import UserError

    if question and questions:
        raise UserError("Give a question or --questions, not both.")
    if question is not None:
        if not question.strip():
            raise UserError("The question is empty; write one in quotes.")
        return [Line(1, question.strip())]
    if questions:
        try:
            content = questions.read_bytes()
        except OSError as error:
            raise UserError(f"{questions} cannot be read: {error.strerror}.") from None
    else:
        content = b"" if sys.stdin.isatty() else sys.stdin.buffer.read()
    lines = enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), 1)
    if asked := [_line(number, line.strip()) for number, line in lines if line.strip()]:
        return asked
    raise UserError("There is no question; write one in quotes, or name a file with --questions.")


def _line(number: int, content: bytes) -> Line:
    try:
        return Line(number, content.decode())
    except UnicodeDecodeError:
        text = content.decode(errors="backslashreplace")
        return Line(number, text, f"Line {number} is not UTF-8 text; save it as UTF-8.")


def trained(database: "Database", record_map: Path | None) -> Path:
    """The file trained on questions about the database, or else on its records alone."""
    from wardround.core.declared import agent_declaration
    from wardround.core.errors import NoPairsError
    from wardround.ehr.records import records_of
    from wardround.runs.training import Training, is_trained, trained_file

    agent, fingerprint = agent_declaration(AGENT), database.fingerprint()

    def of(pairs: str) -> Training:
        return Training(agent.name, agent.train, pairs, format=agent.trained_format)

    made = of("made")
    records = of(f"records={record_map.resolve()}" if record_map else "records")
    with _training_bar() as progress:
        if not record_map and is_trained(made, fingerprint):
            return trained_file(made, database.url, fingerprint, progress)
        if not is_trained(records, fingerprint):
            records_of(database, record_map)  # a mistake is reported before the training begins
        if not record_map and not is_trained(records, fingerprint):
            try:
                return trained_file(made, database.url, fingerprint, progress)
            except NoPairsError as error:
                progress(f"{error} The grammar alone reads questions.")
        return trained_file(records, database.url, fingerprint, progress)


@contextmanager
def _training_bar() -> Iterator[Callable[[str], None]]:
    """Shows the steps of training: in a bar with the time left, or as lines without a terminal."""
    if not sys.stderr.isatty():
        yield lambda line: typer.echo(line, err=True)
        return
    from time import monotonic

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=100, visible=False)
        begun = monotonic()

        def show(line: str) -> None:
            done = STEPS.get(line.removesuffix(" …"))
            if done is None:
                bar.console.print(line, soft_wrap=True)
                return
            total = total_seconds(done, monotonic() - begun)
            description = f"{line} about {total} s in all" if total else line
            bar.update(task, description=description, completed=done, visible=True)

        yield show


def total_seconds(done: int, seconds: float) -> int | None:
    """The seconds of a whole training, by what has been done of it; None before the first step.

    >>> total_seconds(20, 12.5)
    62

    Args:
        done: What has been done, in percent.
        seconds: How long that took.
    """
    return round(seconds * 100 / done) if done else None
