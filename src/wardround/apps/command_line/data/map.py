"""`wardround data map`: proposes a record map for the tables of an unknown database."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.asked_model import BaseUrl, Record, Replay, opened_model

if TYPE_CHECKING:
    from asyncio import Runner

    from pydantic import BaseModel

    from wardround.ehr.records.proposal import Suggest
    from wardround.models.model import Model


def map_tables(
    database: Annotated[str, typer.Argument(help="A database with tables of your own.")],
    to: Annotated[Path, typer.Option(help="The record map to write, a TOML file.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    model: Annotated[
        str | None,
        typer.Option(
            help="A language model that reads names and types too, never values, as "
            "PROVIDER:NAME[,SETTING=VALUE...]. [none]"
        ),
    ] = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
) -> None:
    """Propose a record map from keys, types, names and sampled values, to be read and edited."""
    from collections import Counter
    from contextlib import closing

    from rich.console import Console

    from wardround.apps.command_line.choices import AGENT
    from wardround.core.errors import UserError
    from wardround.core.private_files import open_private
    from wardround.ehr.database import open_database
    from wardround.ehr.records.proposal import map_text, propose, shares_of

    if to.exists() and not force:
        raise UserError(f"{to} exists; give --force to replace it, or another name in --to.")
    looking = Console(stderr=True).status("looking at tables, keys and samples of values")
    with (
        closing(open_database(database)) as opened,
        opened_model(model, base_url, record, replay) as named,
        looking,
    ):
        asked = named and named[0].bind(AGENT, lambda _: None, None)
        proposal = propose(opened, _asks(asked, named[1]) if named and asked else None)
    with open_private(to, "w", encoding="utf-8") as file:
        file.write(map_text(proposal, to.stem))
    width = max(len(source.kind) for source in proposal.sources)
    for kind in dict.fromkeys(source.kind for source in proposal.sources):
        counts = Counter[str]()
        for source in proposal.sources:
            counts += shares_of(source) if source.kind == kind else Counter()
        parts = ", ".join(f"{count} {state}" for state, count in counts.items())
        typer.echo(f"{kind:<{width}}  columns: {parts}")
    typer.echo(f"{to} is written. Read and edit it, then: wardround doctor {database} --map {to}")


def _asks(model: "Model", runner: "Runner") -> "Suggest":
    """Asks a language model; leaves a table as it is if the answer has no form."""
    from wardround.core.errors import MalformedAnswerError
    from wardround.models.messages import Message

    def suggest(table: str, prompt: str, form: "type[BaseModel]") -> "BaseModel | None":
        try:
            return runner.run(model.structured([Message("user", prompt)], form))
        except MalformedAnswerError:
            typer.echo(f"The model's answer about {table} has no valid form: not used.", err=True)
            return None

    return suggest
