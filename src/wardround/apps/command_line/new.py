"""`wardround new`: a package to start a plug-in from."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class PluginKind(StrEnum):
    """The kinds of plug-in that a package can be started with."""

    BENCHMARK = "benchmark"
    AGENT = "agent"
    ENGINE = "engine"


def new(
    kind: Annotated[PluginKind, typer.Argument(help="The kind of plug-in.", show_default=False)],
    name: Annotated[str, typer.Argument(help="Its name.", show_default=False)],
    to: Annotated[Path | None, typer.Option(help="The new folder. [named as the plug-in]")] = None,
) -> None:
    """Make a package with a plug-in, its entry point and its tests, which pass as it is."""
    from wardround.apps.new_package import write_package

    folder = to or Path(name)
    write_package(kind.value, name, folder)
    typer.echo(f"{folder}: install it with pip install --editable {folder}", err=True)
