"""Options of the commands that serve pages or records until they are interrupted."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Host: TypeAlias = Annotated[str, typer.Option(help="The address to listen on.")]
Port: TypeAlias = Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)]
Token: TypeAlias = Annotated[
    str | None,
    typer.Option(
        envvar="WARDROUND_TOKEN",
        help="The token that people or programs sign in with; needed beyond this machine. Other "
        "users of this machine see it here, but not in WARDROUND_TOKEN or --token-file.",
    ),
]
TokenFile: TypeAlias = Annotated[
    Path | None, typer.Option(help="A file with the token, instead of --token.")
]
