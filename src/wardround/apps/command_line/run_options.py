"""Options that several commands on runs share."""

from typing import Annotated, TypeAlias

import typer

Trust: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Take a run of another key or an older version as it is; it stays not verified.",
    ),
]

FailUnder: TypeAlias = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=100,
        help="Exit with 1 if fewer than this percentage of tasks are right in all trials.",
    ),
]
