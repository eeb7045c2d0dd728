"""`wardround data rename`: renames the tables and columns of a prepared database."""

from typing import Annotated

import typer

from wardround.apps.command_line.data.interrupt import exit_on_interrupt


def rename(
    schema: Annotated[str, typer.Argument(help="The renamed layout: mimic_iv_star or eicu_star.")],
    source: Annotated[str, typer.Argument(help="A prepared database: a file or a URL.")],
    to: Annotated[str, typer.Option(help="The database to write: a file or a URL.")],
    rename_values: Annotated[
        bool,
        typer.Option("--rename-values", help="Also rename values that name a table."),
    ] = False,
) -> None:
    """Rename the tables and columns of a prepared database (Lee et al. 2025, B.4)."""
    from contextlib import closing
    from dataclasses import replace

    from wardround.core.declared import layouts_by_benchmark
    from wardround.core.thread_call import iterate_on_thread
    from wardround.ehr.database import open_source
    from wardround.ehr.ingest.new_database import new_database
    from wardround.ehr.ingest.rename import find_renaming, latest_time
    from wardround.ehr.ingest.rename import rename as rename_database
    from wardround.ehr.inspection.services import current_time_of

    renaming = find_renaming(schema)
    if not rename_values:
        renaming = replace(renaming, values={})
    width = max(map(len, (*renaming.tables, *renaming.tables.values())))
    rows = []
    stopped = exit_on_interrupt(f"Stopped; {to} is not made.")
    with stopped, closing(open_source(source)) as old, new_database(to) as new:
        # Let the current table finish; it takes moments.
        for table in iterate_on_thread(rename_database(old, new, renaming), stop=lambda: None):
            typer.echo(f"{table.old:<{width}} is {table.new:<{width}} {table.rows:>13,} rows")
            rows.append(table.rows)
        latest = latest_time(new, renaming.name)
    typer.echo(f"{len(rows)} tables, {sum(rows):,} rows in {to}.")
    now = current_time_of(renaming.name, layouts_by_benchmark())
    if now and latest > now:
        typer.echo(
            f"Its times go to {latest}, and tasks on {renaming.name} take {now} for now: prepare "
            f'the release again with --now "{now}".',
            err=True,
        )
