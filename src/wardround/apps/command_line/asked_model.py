"""The language model of a command without roles: its options, and the model while it runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from asyncio import Runner

    from wardround.models.client import LanguageModel

BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option(help="An OpenAI-compatible server for --model openai:NAME.")
]
Record: TypeAlias = Annotated[
    Path | None, typer.Option(help="A file that records all exchanges with the model.")
]
Replay: TypeAlias = Annotated[
    Path | None, typer.Option(help="A recorded file that answers instead of the model.")
]


@contextmanager
def opened_model(
    name: str | None, base_url: str | None, record: Path | None, replay: Path | None
) -> Iterator[tuple["LanguageModel", "Runner"] | None]:
    """The model, and what runs its requests in one event loop; None if none is named."""
    from asyncio import Runner

    from wardround.apps.command_line.choices import AGENT, asked_model
    from wardround.models.roles import RoleModels

    settings = asked_model(name, base_url)
    if settings is None:
        yield None
        return
    roles = RoleModels({AGENT: settings}, record=record, replay=replay)
    with Runner() as runner:
        try:
            yield roles.open(AGENT), runner
        finally:
            runner.run(roles.close())
