"""`wardround data fetch`: a published release from PhysioNet."""

from pathlib import Path
from typing import Annotated

import typer


def fetch(
    release: Annotated[str, typer.Argument(help="mimic-iv-demo, mimic-iii-demo or eicu-demo.")],
    to: Annotated[Path, typer.Option(help="The folder to download to.")],
    mirror: Annotated[str | None, typer.Option(help="Another address with the same files.")] = None,
) -> None:
    """Download an open release and check every file; resume an interrupted download."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    from wardround.ehr.ingest import download as fetching

    found = fetching.find_release(release)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Bars(
        *columns,
        TransferSpeedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        bar = bars.add_task(found.name, total=None)

        def on_progress(progress: fetching.Progress) -> None:
            file, done, total = progress.file, progress.bytes, progress.total
            bars.update(bar, description=file, completed=done, total=total)

        done = fetching.fetch(found, to, mirror=mirror, on_progress=on_progress)
    typer.echo(
        f"{found.title} {found.version} is in {to}, every checksum right: {done.new} files "
        f"fetched, {done.present} there before, {done.bytes:,} bytes."
    )
    typer.echo(f"Licence: {found.licence}\nCite: {found.citation}")
    typer.echo(f"Next: wardround data build {found.schema} --from {to} --to DATABASE")
