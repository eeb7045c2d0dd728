"""`wardround fhir`: commands for FHIR records."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.server_options import Host, Port, Token, TokenFile

app = typer.Typer(
    help="Serve FHIR records.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Serve FHIR records."""


@app.command()
def serve(
    record: Annotated[Path, typer.Argument(help="The record, made by `wardround data fhir`.")],
    host: Host = "127.0.0.1",
    port: Port = 8080,
    writes: Annotated[
        Path | None,
        typer.Option(
            help="A file that keeps what clients write, made if missing; the record itself never "
            "changes. [read-only]"
        ),
    ] = None,
    token: Token = None,
    token_file: TokenFile = None,
) -> None:
    """Serve a record over HTTP as FHIR R4, until it is interrupted."""
    from contextlib import closing

    from wardround.apps.command_line.extras import needs_extra
    from wardround.ehr.fhir.reader_pool import ReaderPool
    from wardround.ehr.fhir.record import Record

    with needs_extra("web"):
        from wardround.apps.web import fhir_server
        from wardround.apps.web.access import read_token
    token = read_token(token, token_file)
    with closing(ReaderPool(Record.open(record), writes)) as readers:
        served = f"FHIR R4 at http://{host}:{port}/; stop with Ctrl+C."
        announce = partial(typer.echo, served)
        writable = writes is not None
        fhir_server.serve(readers, host, port, writable=writable, token=token, announce=announce)
