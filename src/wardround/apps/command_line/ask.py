"""`wardround ask`: questions about a database, each with what was understood and the SQL."""

import logging
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from wardround.ehr.database import Database

logger = logging.getLogger(__name__)

SHOWN_ROWS = 20
JSON_ROWS = 1000

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
    base_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server for --model openai:NAME.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="A file that records all exchanges with the model.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="A recorded file that answers instead of the model.")
    ] = None,
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
        _model(model, base_url, record, replay) as beside,
    ):
        open_answerer = plugins.load("wardround.answers", AGENT)
        answerer = open_answerer(
            opened,
            lambda: agent_model or _trained(opened, record_map),
            is_current=agent_model is None,
            penalty=penalty,
            record_map=record_map,
            **beside,
        )
        for note in answerer.notes:
            typer.echo(f"Note: {note}", err=True)
        answers = (_entry(line, answerer.answer, opened, json) for line in asked)
        shown = _show_json(answers) if json else _show(answers, len(asked) > 1)
    if refused := [entry["line"] for entry in shown if entry["refused"]]:
        if len(asked) > 1:
            lines = ", ".join(map(str, refused))
            typer.echo(f"No answer to {len(refused)} of {len(asked)}: lines {lines}.", err=True)
        raise typer.Exit(1)


@contextmanager
def _model(
    name: str | None, base_url: str | None, record: Path | None, replay: Path | None
) -> Iterator[dict[str, Any]]:
    """The language model, and what runs requests in its event loop; empty without a model."""
    import asyncio

    from wardround.apps.command_line.choices import AGENT as ROLE
    from wardround.apps.command_line.choices import asked_model
    from wardround.models.roles import RoleModels

    settings = asked_model(name, base_url)
    if settings is None:
        yield {}
        return
    roles = RoleModels({ROLE: settings}, record=record, replay=replay)
    with asyncio.Runner() as runner:
        try:
            yield {"model": roles.open(ROLE), "run": runner.run}
        finally:
            runner.run(roles.close())


class Line(NamedTuple):
    """A question with the number of its line.

    Attributes:
        fault: Why it cannot be read; "" if it can.
    """

    number: int
    text: str
    fault: str = ""


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


def _trained(database: "Database", record_map: Path | None) -> Path:
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
            except NoPairsError:
                progress("No questions are made about this layout: the grammar alone reads them.")
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


def _entry(
    line: Line, answer_to: Callable[[str], Any], database: "Database", as_json: bool
) -> dict[str, Any]:
    """A question with its answer and the rows of its query, or with the reason why it failed."""
    from wardround.core.errors import WardroundError

    rows = JSON_ROWS if as_json else SHOWN_ROWS
    entry: dict[str, Any] = {
        "line": line.number,
        "question": line.text,
        "columns": None,
        "rows": None,
        "truncated": False,
        "query": None,
        "confidence": 0.0,
        "understood": [],
        "doubts": [],
    }
    if line.fault:
        return {**entry, "refused": [line.fault]}
    try:
        answer = answer_to(line.text)
        result = database.execute(answer.sql, rows=rows) if answer.sql else None
    except WardroundError as error:
        return {**entry, "refused": [f"The question could not be answered: {error}"]}
    except Exception as error:
        logger.exception("line %d", line.number)
        name = type(error).__name__
        return {**entry, "refused": [f"A bug in wardround ({name}) kept this from an answer."]}
    return {
        **entry,
        "columns": list(answer.columns or result.columns) if result else None,
        "rows": [list(row) for row in result.rows] if result else None,
        "truncated": bool(result and result.truncated),
        "query": answer.sql,
        "confidence": answer.confidence and round(answer.confidence, 4),
        "understood": list(answer.understood),
        "doubts": list(answer.doubts),
        "refused": list(answer.refused),
    }


def _show_json(entries: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    import json

    found = list(entries)
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False, default=str))
    return found


def _show(entries: Iterator[dict[str, Any]], is_several: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for entry in entries:
        if is_several:
            start = "\n" if found else ""
            typer.echo(f"{start}Question {entry['line']}: {entry['question']}")
        for line in _lines(entry):
            typer.echo(line)
        found.append(entry)
    return found


def _lines(entry: dict[str, Any]) -> Iterator[str]:
    for n, line in enumerate(entry["understood"]):
        yield f"  {line}" if n else f"Understood: {line}"
    confidence = entry["confidence"]
    yield from (f"Doubt: {line}" for line in entry["doubts"])
    yield f"Confidence: {'not measured' if confidence is None else f'{confidence:.2f}'}"
    if entry["refused"]:
        yield f"No answer: {entry['refused'][0]}"
        yield from entry["refused"][1:]
        return
    yield f"SQL: {entry['query']}"
    if all(cell is None for row in entry["rows"] for cell in row):
        yield "The answer is empty: the records hold nothing of the kind."
        return
    yield "  ".join(entry["columns"])
    for row in entry["rows"]:
        yield "  ".join("" if cell is None else str(cell) for cell in row)
    if entry["truncated"]:
        yield f"The answer is cut off: these are its first {SHOWN_ROWS} rows."
