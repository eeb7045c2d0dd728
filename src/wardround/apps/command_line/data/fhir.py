"""`wardround data fhir`: an R4 record or NDJSON from a database, NDJSON, a record or a server."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wardround.apps.command_line.data.interrupt import exit_on_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wardround.ehr.fhir.interaction import Resource


def fhir(
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="A database in MIMIC-IV's layout, NDJSON files or a folder of them, a record, or "
            "the base URL of a FHIR server.",
        ),
    ],
    to: Annotated[str, typer.Option(help="The record to write; NDJSON for a folder FOLDER/.")],
    zone: Annotated[
        str, typer.Option(help="The time zone of times without an offset.")
    ] = "America/New_York",
    validation: Annotated[
        Literal["refuse", "record"],
        typer.Option(
            help="The treatment of resources that are not R4: refused, or taken with their defects "
            "named."
        ),
    ] = "refuse",
    token: Annotated[str | None, typer.Option(help="A bearer token for the server.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing record.")] = False,
) -> None:
    """Make an R4 record, or bulk NDJSON, of the resources of a source."""
    from wardround.ehr.fhir.ndjson import write_ndjson
    from wardround.ehr.fhir.sources import read_resources
    from wardround.ehr.fhir.store.builder import build_record

    target = Path(to).expanduser()
    with exit_on_interrupt(f"Stopped; {to} is not made."):
        resources = _counted(read_resources(source, zone, token))
        if to.endswith("/") or target.is_dir():
            counts = write_ndjson(resources, target)
        else:
            built = build_record(
                target, resources, zone=zone, validation=validation, source=source, replace=force
            )
            counts = built.counts
    for type, count in sorted(counts.items()):
        typer.echo(f"{type:28}{count:>10,}")
    typer.echo(f"{sum(counts.values()):,} resources in {to}.")


def _counted(resources: "Iterator[Resource]") -> "Iterator[Resource]":
    """The resources, with their number on the terminal meanwhile."""
    from rich.console import Console

    with Console(stderr=True).status("reading resources") as status:
        for number, resource in enumerate(resources, start=1):
            if number % 5000 == 0:
                status.update(f"{number:,} resources")
            yield resource
