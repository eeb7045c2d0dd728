"""`wardround data`: commands that make and change databases, one module each."""

import typer

from wardround.apps.command_line.data import fetch, prepare, rename

app = typer.Typer(
    help="Build, prepare and change databases.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def options() -> None:
    """Build, prepare and change databases."""


app.add_typer(prepare.app, name="prepare")
app.command("fetch")(fetch.fetch)
app.command("rename")(rename.rename)
