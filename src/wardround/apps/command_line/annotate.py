"""`wardround annotate`: the page on which people write and validate items."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.server_options import Host, Port, Token, TokenFile


def annotate(
    folder: Annotated[Path, typer.Argument(help="The folder of items.", show_default=False)],
    database: Annotated[
        str | None, typer.Option(help="Where queries run: a DuckDB file or a URL.")
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    token: Token = None,
    token_file: TokenFile = None,
    second: Annotated[
        Path | None,
        typer.Option(help="The folder of items that second annotators repeat, for figures."),
    ] = None,
    submissions: Annotated[
        Path | None, typer.Option(help="A folder of models' submissions whose leaves people judge.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind of items. [the only one installed]")
    ] = None,
) -> None:
    """Serve a page for writing and validating items, until it is interrupted."""
    from contextlib import closing

    from wardround.apps.command_line.extras import needs_extra
    from wardround.core import plugins

    with needs_extra("web"):
        from wardround.apps.web.access import check_exposure, read_token
    token = read_token(token, token_file)
    check_exposure(host, token)
    declared = plugins.load(plugins.work("annotate"), kind or _only_kind())
    open_store = plugins.implementation(declared.implementation)
    serve = plugins.implementation(declared.page)
    with closing(open_store(folder, database, _now, second, submissions)) as store:
        if not folder.exists():
            typer.echo(f"The folder {folder} does not exist yet; its first item makes it.")
        opened = f"Open http://{host}:{port} in a browser; stop with Ctrl+C."
        serve(store, host, port, token, partial(typer.echo, opened))


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _only_kind() -> str:
    from wardround.core import plugins
    from wardround.core.errors import UserError

    names = plugins.names(plugins.work("annotate"))
    if len(names) != 1:
        raise UserError(f"Name the kind of items with --kind: {', '.join(names) or 'none'}.")
    return names[0]
