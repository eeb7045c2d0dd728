"""`wardround view`: the runs of a folder in a browser."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer


def view(
    folder: Annotated[Path, typer.Argument(help="A folder of runs, or a run.")] = Path("runs"),
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8766,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="WARDROUND_TOKEN",
            help="The token that people sign in with; needed beyond this machine. Other users of "
            "this machine see it here, but not in WARDROUND_TOKEN or --token-file.",
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="A file with the token, instead of --token.")
    ] = None,
) -> None:
    """Show runs and their trials in a browser, until it is interrupted."""
    from wardround.apps.command_line.extras import needs_extra
    from wardround.core.errors import UserError

    with needs_extra("web"):
        from wardround.apps.web.access import read_token
        from wardround.apps.web.viewer.application import serve
    if not folder.is_dir():
        raise UserError(f"The folder {folder} does not exist; name a folder of runs.")
    opened = f"Open http://{host}:{port} in a browser; stop with Ctrl+C."
    serve(folder, host, port, read_token(token, token_file), partial(typer.echo, opened))
