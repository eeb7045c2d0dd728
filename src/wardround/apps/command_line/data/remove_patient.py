"""`wardround data remove-patient`: removes all rows of given patients from a database."""

from typing import Annotated

import typer


def remove_patient(
    database: Annotated[str, typer.Argument(help="The database: a file or a URL.")],
    patients: Annotated[
        list[str], typer.Argument(help="subject_id of each patient (uniquepid in eICU).")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the rows without changing anything.")
    ] = False,
) -> None:
    """Permanently remove all rows of the given patients from a database."""
    from contextlib import closing
    from pathlib import Path

    from wardround.ehr.database import existing_database, open_source
    from wardround.ehr.database.compaction import compact
    from wardround.ehr.ingest.patient_removal import find_patient_data, remove_patient_data

    with closing(open_source(database)) as source:
        data = find_patient_data(source, patients)
    width = max(len(table.table) for table in data.tables)
    for table in data.tables:
        shared = f", {table.shared:,} of them name another patient" if table.shared else ""
        typer.echo(f"{table.table:<{width}} {table.rows:>13,} rows{shared}")
    rows = sum(table.rows for table in data.tables)
    if dry_run:
        typer.echo(f"{rows:,} rows would be removed; nothing is changed.")
        return
    with closing(existing_database(database)) as opened:
        remove_patient_data(opened, data)
        compact(opened)
    typer.echo(f"{rows:,} rows removed, and {database} written anew without them.")
    if (indexes := Path(f"{database}.values")).is_dir():
        typer.echo(f"Delete {indexes} too: indexes made before may hold values of theirs.")
