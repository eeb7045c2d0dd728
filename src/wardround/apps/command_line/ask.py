"""`wardround ask`: questions about a database, each with what was understood and the SQL."""

import sys
from codecs import BOM_UTF8
from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.ask_output import Line, answered, show, show_json
from wardround.apps.command_line.ask_training import AGENT, trained
from wardround.apps.command_line.asked_model import BaseUrl, Record, Replay, opened_model


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
        beside = {"model": named[0], "run": named[1].run} if named else {}
        open_answerer = plugins.load("wardround.answers", AGENT)
        answerer = open_answerer(
            opened,
            lambda: agent_model or trained(opened, record_map),
            is_current=agent_model is None,
            penalty=penalty,
            record_map=record_map,
            **beside,
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
