"""`wardround view`: the runs of a folder in a browser."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer


def view(
    folder: Annotated[Path, typer.Argument(help="A folder of runs, or a run.")] = Path("runs"),
    port: Annotated[int, typer.Option(help="The port to listen on.", min=1, max=65535)] = 8766,
) -> None:
    """Show runs and their trials in a browser of this machine, until it is interrupted."""
    from wardround.core.errors import UserError

    try:
        from wardround.apps.web.bounded_server import run_server
        from wardround.apps.web.run_viewer import make_viewer
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wardround"):
            raise
        raise UserError(
            f"The page needs {error.name}; install it with: pip install 'wardround[web]'."
        ) from None
    if not folder.is_dir():
        raise UserError(f"The folder {folder} does not exist; name a folder of runs.")
    opened = f"Open http://127.0.0.1:{port} in a browser; stop with Ctrl+C."
    run_server(make_viewer(folder), "127.0.0.1", port, partial(typer.echo, opened))
