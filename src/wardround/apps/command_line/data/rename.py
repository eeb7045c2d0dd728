"""`wardround data rename`: an EHRSQL database under the names of EHR-ChatQA."""

from typing import Annotated

import typer


def rename(
    schema: Annotated[str, typer.Argument(help="mimic-iv-star or eicu-star.")],
    source: Annotated[str, typer.Argument(help="A database in EHRSQL's form.")],
    to: Annotated[str, typer.Option(help="The database to make: a file or a URL.")],
    keep_values: Annotated[
        bool,
        typer.Option("--keep-values", help="Leave values that name a table as they are."),
    ] = False,
) -> None:
    """Give an EHRSQL database the table and column names of EHR-ChatQA."""
    from contextlib import closing
    from dataclasses import replace

    from wardround.ehr.database import write_database
    from wardround.ehr.database.reading import existing_database
    from wardround.ehr.ingest.renaming import RenamedTable, find_renaming
    from wardround.ehr.ingest.renaming import rename as rename_database

    def told(table: RenamedTable) -> None:
        typer.echo(f"{table.old:<{width}} is {table.new:<{width}} {table.rows:>13,} rows")

    renaming = find_renaming(schema)
    if keep_values:
        renaming = replace(renaming, values={})
    width = max(map(len, (*renaming.tables, *renaming.tables.values())))
    with closing(existing_database(source)) as old, closing(write_database(to)) as new:
        renamed = rename_database(old, new, renaming, told)
    typer.echo(f"{len(renamed)} tables, {sum(table.rows for table in renamed):,} rows in {to}.")
