"""`wardround view`: the runs of a folder in a browser."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.server_options import Host, Port, Token, TokenFile


def view(
    folder: Annotated[Path, typer.Argument(help="A folder of runs, or a run.")] = Path("runs"),
    host: Host = "127.0.0.1",
    port: Port = 8766,
    token: Token = None,
    token_file: TokenFile = None,
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
