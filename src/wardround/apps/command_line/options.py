"""Options that several commands have, with the same meaning in each."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option(help="An OpenAI-compatible server for --model openai:NAME.")
]
ReasoningEffort: TypeAlias = Annotated[
    str | None,
    typer.Option(help="How long the model of --model thinks: minimal, low, medium or high."),
]
Cache: TypeAlias = Annotated[
    Path | None, typer.Option(help="A file that keeps model answers for later calls.")
]
Record: TypeAlias = Annotated[
    Path | None, typer.Option(help="A file to which all exchanges with models are written.")
]
Replay: TypeAlias = Annotated[
    Path | None, typer.Option(help="A recorded file that answers instead of any model.")
]
