"""`wardround train`: agents that learn from questions with their SQL."""

import typer

from wardround.apps.command_line.train import parser, t5

app = typer.Typer(
    help="Train an agent on questions with their SQL.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Train an agent on questions with their SQL."""


app.command("parser")(parser.train_parser)
app.command("t5")(t5.train_t5)
