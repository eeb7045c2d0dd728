"""`wardround tasks`: commands about task files."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make tasks and check them.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def options() -> None:
    """Make tasks and check them."""


@app.command()
def validate(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark, such as chatqa.")],
    tasks: Annotated[
        Path | None, typer.Option(help="A task file in the published form. [the shipped suite]")
    ] = None,
    database: Annotated[
        list[str] | None, typer.Option(help="A database, or NAME=DATABASE.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Let the oracle do every task; exit 1 if a gold does not pass its own grader."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.apps.command_line.printing import print_summary
    from wardround.apps.validating import validate_tasks

    settings = chosen_settings(
        benchmark=benchmark, tasks=tasks, database=database, agent="oracle", user="script"
    )
    verdict = validate_tasks(settings)
    print_summary(verdict.summary, as_json=as_json, first=1)
    for defect in verdict.defects:
        typer.echo(f"{defect.where}: {defect.reason}", err=True)
    if verdict.defects:
        raise typer.Exit(1)


@app.command()
def make(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark: ehrsql.")],
    database: Annotated[str, typer.Option(help="A database in one of EHRSQL's forms.")],
    to: Annotated[Path, typer.Option(help="The folder to make.")],
    seed: Annotated[int, typer.Option(help="Same seed, same questions.")] = 0,
    size: Annotated[
        float, typer.Option(min=0.001, help="How large the set is beside the paper's.")
    ] = 1.0,
    current_time: Annotated[
        str | None,
        typer.Option(help="What the word current_time stands for. [end of the records' last year]"),
    ] = None,
) -> None:
    """Make questions about a database, with queries that were run, in train, valid and test."""
    from wardround.apps.command_line.making import make_questions

    make_questions(benchmark, database, to, seed, size, current_time)
