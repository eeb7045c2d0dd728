"""`wardround data hospital`: a synthetic hospital of any size in one of seven layouts."""

from typing import Annotated

import typer

from wardround.apps.command_line.data.interrupt import exit_on_interrupt


def hospital(
    to: Annotated[str, typer.Option(help="The database to write: a file or a URL.")],
    patients: Annotated[int, typer.Option(min=1, help="The number of patients.")] = 100,
    seed: Annotated[int, typer.Option(help="Same seed, same rows on every engine.")] = 0,
    layout: Annotated[
        str,
        typer.Option(
            help="mimic_iv, mimic_iii or eicu as published; omop; ehrsql_mimic_iv; or renamed,"
            " mimic_iv_star or eicu_star."
        ),
    ] = "mimic_iv_star",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that generate patients. [one per core]")
    ] = None,
    tables: Annotated[
        str, typer.Option(help="Write these tables only, and those that they refer to: A,B,… [all]")
    ] = "",
    enrich: Annotated[
        list[str] | None,
        typer.Option(help="A condition that about half of the patients shall have; repeatable."),
    ] = None,
    notes: Annotated[
        bool,
        typer.Option(
            "--notes", help="Add discharge summaries and radiology reports (mimic_iv, omop)."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing database.")] = False,
) -> None:
    """Generate a hospital of synthetic patients; the same seed gives the same rows."""
    import os
    from functools import partial

    from rich.console import Console
    from rich.progress import Progress

    from wardround.core.errors import UserError
    from wardround.ehr.hospital import PREPARED, build_hospital, build_prepared_hospital

    schema = layout.replace("-", "_")
    if schema in PREPARED and (tables or notes):
        raise UserError(f"The layout {schema} has all of its tables, and no notes.")
    stopped = exit_on_interrupt(f"Stopped; {to} is not made.")
    with stopped, Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("people", total=patients)
        build = (
            build_prepared_hospital
            if schema in PREPARED
            else partial(
                build_hospital,
                tables=[name for name in tables.replace(" ", "").split(",") if name],
                notes=notes,
            )
        )
        rows = build(
            to,
            patients=patients,
            seed=seed,
            schema=schema,
            workers=workers or os.cpu_count() or 1,
            replace=force,
            enrich=enrich or [],
            done=lambda people: progress.update(bar, completed=people),
        )
    typer.echo(f"{patients:,} people, {len(rows)} tables, {sum(rows.values()):,} rows in {to}.")
