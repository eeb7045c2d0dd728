"""`wardround ask`: one question about a database, with what was understood and the SQL."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wardround.ehr.database import ResultTable

SHOWN_ROWS = 20

# The agent that answers; it declares how in the group `wardround.answers`.
AGENT = "parser"


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

    from wardround.core import plugins
    from wardround.core.declared import agent_declaration
    from wardround.core.errors import UserError
    from wardround.ehr.database import open_database
    from wardround.runs.training import Training, trained_file

    if not question.strip():
        raise UserError("The question is empty; write one in quotes.")
    agent = agent_declaration(AGENT)
    with closing(open_database(database)) as opened:
        file = agent_model or trained_file(
            Training(agent.name, agent.train, format=agent.trained_format),
            opened.url,
            opened.fingerprint(),
            lambda line: typer.echo(line, err=True),
        )
        reply = plugins.load("wardround.answers", AGENT)(question, opened, file)
        for line in reply.lines:
            typer.echo(line)
        if reply.sql is None:
            raise typer.Exit(1)
        _show(opened.execute(reply.sql, rows=SHOWN_ROWS))


def _show(result: "ResultTable") -> None:
    for row in result.rows:
        typer.echo("  ".join("" if cell is None else str(cell) for cell in row))
    if result.truncated:
        typer.echo(f"… and more than {SHOWN_ROWS} rows.")
