"""`wardround export`: a run in the forms that other tools read."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Write a run for other tools.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

RunFolder = Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)]


@app.callback()
def options() -> None:
    """Write a run for other tools."""


@app.command()
def inspect(
    run: RunFolder,
    to: Annotated[Path, typer.Option(help="The new log; its name ends in .eval or .json.")],
) -> None:
    """Write a run as an Inspect log, which `inspect view` opens."""
    from wardround.apps.command_line.extras import needs_extra
    from wardround.core.errors import UserError

    if to.suffix not in (".eval", ".json"):
        raise UserError(f"The name of {to} ends in neither .eval nor .json, Inspect's formats.")
    if to.exists():
        raise UserError(f"{to} exists already; name a new file with --to.")
    with needs_extra("inspect"):
        from wardround.apps.inspect.log_export import write_inspect_log
    count = write_inspect_log(run, to)
    typer.echo(f"{count} trials: {to}", err=True)


@app.command()
def chats(
    run: RunFolder,
    to: Annotated[Path, typer.Option(help="The new folder.")],
) -> None:
    """Write the trials that count as a dataset of chats, with a data card."""
    from wardround.runs.chat_dataset import write_chat_dataset

    count = write_chat_dataset(run, to)
    typer.echo(f"{count} trials: {to}", err=True)
