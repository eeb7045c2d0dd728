"""`wardround data remove-patient`: every trace of patients out of a database."""

from typing import Annotated

import typer


def remove_patient(
    database: Annotated[str, typer.Argument(help="The database: a file or a URL.")],
    patients: Annotated[
        list[str], typer.Argument(help="subject_id of each patient (uniquepid in eICU).")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the rows, and change nothing.")
    ] = False,
) -> None:
    """Remove for good all that a database holds of some patients."""
    from contextlib import closing
    from pathlib import Path

    from wardround.ehr.database.compaction import compact
    from wardround.ehr.database.table_reader import existing_database
    from wardround.ehr.ingest.patient_removal import find_traces, remove

    with closing(existing_database(database)) as opened:
        traces = find_traces(opened, patients)
        width = max(len(trace.table) for trace in traces.found)
        for trace in traces.found:
            others = f", {trace.shared:,} of them name another patient" if trace.shared else ""
            typer.echo(f"{trace.table:<{width}} {trace.rows:>13,} rows{others}")
        rows = sum(trace.rows for trace in traces.found)
        if dry_run:
            typer.echo(f"{rows:,} rows would be removed; nothing is changed.")
            return
        remove(opened, traces)
        compact(opened)
    typer.echo(f"{rows:,} rows removed, and {database} written anew without them.")
    if (indexes := Path(f"{database}.values")).is_dir():
        typer.echo(f"Delete {indexes} too: indexes made before may hold values of theirs.")
