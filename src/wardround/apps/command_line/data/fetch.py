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

    metadata = fetching.find_release(release)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Bars(
        *columns,
        TransferSpeedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        bar = bars.add_task(metadata.name, total=None)

        def on_progress(progress: fetching.Progress) -> None:
            file, received, total = progress.file, progress.bytes, progress.total
            bars.update(bar, description=file, completed=received, total=total)

        result = fetching.fetch(metadata, to, mirror=mirror, on_progress=on_progress)
    typer.echo(
        f"{metadata.title} {metadata.version} is in {to}, every checksum right: {result.new} files "
        f"fetched, {result.present} there before, {result.bytes:,} bytes."
    )
    typer.echo(f"Licence: {metadata.licence}\nCite: {metadata.citation}")
    typer.echo(f"Next: wardround data build {metadata.schema} --from {to} --to DATABASE")
