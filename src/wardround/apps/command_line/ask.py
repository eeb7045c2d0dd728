"""`wardround ask`: one question about a database, with what was understood and the SQL."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wardround.agents.parser import Parsed
    from wardround.ehr.database import ResultTable

SHOWN_ROWS = 20
_CHOICES = 10


def ask(
    question: Annotated[str, typer.Argument(help="A question, in quotes.")],
    database: Annotated[str, typer.Option(help="The database: a file or a URL.")],
    agent_model: Annotated[
        Path | None,
        typer.Option(help="A file of `wardround train parser`. [taught by made questions, once]"),
    ] = None,
) -> None:
    """Ask a database a question; exit 1 if there is no answer to be trusted."""
    from contextlib import closing

    from wardround.agents.parser import load
    from wardround.authoring.ehrsql.parser_cache import kept_parser
    from wardround.core.errors import UserError
    from wardround.ehr.database import open_database
    from wardround.ehr.times import with_words

    if not question.strip():
        raise UserError("The question is empty; write one in quotes.")
    with closing(open_database(database)) as opened:
        if agent_model:
            parser = load(agent_model, opened)
        else:
            parser = kept_parser(opened, told=lambda line: typer.echo(line, err=True))
        parsed = parser.answer(question)
        _tell(parsed)
        if parsed.sql is None:
            _refuse(parsed)
            raise typer.Exit(1)
        _show(opened.execute(with_words(parsed.sql, parser.words), rows=SHOWN_ROWS))


def _tell(parsed: "Parsed") -> None:
    kind, *rest = parsed.understood
    typer.echo(f"Understood: {kind}")
    for line in rest:
        typer.echo(f"  {line}")
    typer.echo(f"Confidence: {parsed.confidence:.2f}")
    if parsed.guess:
        typer.echo(f"SQL: {parsed.guess}")


def _refuse(parsed: "Parsed") -> None:
    """What has to be said first, or that nothing would help."""
    for doubt in parsed.doubts:
        typer.echo(f"No answer yet: {doubt.asks}")
        for choice in doubt.choices[:_CHOICES]:
            typer.echo(f"  {choice.name}")
        if len(doubt.choices) > _CHOICES:
            typer.echo(f"  … and {len(doubt.choices) - _CHOICES} more")
    if not parsed.doubts:
        typer.echo("No answer: I am not sure enough of what was asked.")


def _show(result: "ResultTable") -> None:
    for row in result.rows:
        typer.echo("  ".join("" if cell is None else str(cell) for cell in row))
    if result.truncated:
        typer.echo(f"… and more than {SHOWN_ROWS} rows.")
