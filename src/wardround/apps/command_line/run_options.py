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
