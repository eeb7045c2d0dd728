"""`wardround data`: commands that make and change databases, one module each."""

import typer

app = typer.Typer(
    help="Build, prepare and change databases.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def options() -> None:
    """Build, prepare and change databases."""
