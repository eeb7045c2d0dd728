"""`wardround ask`: one question about a database, with what was understood and the SQL."""

from pathlib import Path
from typing import Annotated

import typer

SHOWN_ROWS = 20


def ask(
    question: Annotated[str, typer.Argument(help="A question, in quotes.")],
    database: Annotated[str, typer.Option(help="The database: a file or a URL.")],
    agent_model: Annotated[
        Path | None,
        typer.Option(help="A file of `wardround train parser`. [made questions are learnt first]"),
    ] = None,
) -> None:
    """Ask a database a question; exit 1 if there is no answer to be trusted."""
    from contextlib import closing

    from wardround.agents.parser import load
    from wardround.apps.teaching import teach
    from wardround.ehr.database import open_database
    from wardround.ehr.times import with_words

    with closing(open_database(database)) as opened:
        if agent_model:
            parser = load(agent_model, opened)
        else:
            parser = teach(opened, told=lambda step: typer.echo(f"{step} …", err=True))
        parsed = parser.answer(question)
        typer.echo(f"Understood: {parsed.explanation}")
        typer.echo(f"Confidence: {parsed.confidence:.2f}")
        if parsed.guess:
            typer.echo(f"SQL: {parsed.guess}")
        if parsed.sql is None:
            typer.echo("No answer: I am not sure enough of what was asked.")
            raise typer.Exit(1)
        result = opened.execute(with_words(parsed.sql, parser.words), rows=SHOWN_ROWS)
    for row in result.rows:
        typer.echo("  ".join("" if cell is None else str(cell) for cell in row))
    if result.truncated:
        typer.echo(f"… and more than {SHOWN_ROWS} rows.")
