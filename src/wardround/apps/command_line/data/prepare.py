"""`wardround data prepare`: official releases in the form that a benchmark asks for."""

from datetime import datetime
from typing import Annotated

import typer

from wardround.apps.command_line.data.interrupt import told_when_stopped

app = typer.Typer(
    help="Prepare an official release as a benchmark does.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Prepare an official release as a benchmark does."""


@app.command()
def ehrsql(
    source: Annotated[
        str, typer.Argument(help="A database of MIMIC-III, MIMIC-IV or eICU, as built.")
    ],
    to: Annotated[str, typer.Option(help="The database to make: a file or a URL.")],
    patients: Annotated[int, typer.Option(min=1, help="How many to sample, at most.")] = 1000,
    current: Annotated[
        float, typer.Option(min=0, max=1, help="Share of them who are in hospital now.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Decides whatever is left to chance.")] = 0,
    now: Annotated[
        datetime, typer.Option(help="The current time; 2100-12-31 23:59:00 for EHR-ChatQA.")
    ] = datetime(2105, 12, 31, 23, 59),
    first: Annotated[datetime, typer.Option(help="The earliest day of a first visit.")] = datetime(
        2100, 1, 1
    ),
    layout: Annotated[
        str,
        typer.Option(
            help="Whose columns MIMIC-IV gets: 2024 for EHRSQL 2024's, chatqa for"
            " EHR-ChatQA's before it renames them."
        ),
    ] = "2024",
    skip: Annotated[
        list[str] | None,
        typer.Option(
            help="A step to leave out; repeat for more: ages, sample, vitals, millilitres, paths,"
            " lower, units, shift, now, shuffle, cost."
        ),
    ] = None,
) -> None:
    """Make the EHRSQL form: patients, times, units, costs and names as its paper has them."""
    from wardround.ehr.ingest.preparation import Plan, prepare

    plan = Plan(
        seed=seed,
        patients=patients,
        current=current,
        now=now,
        first=first,
        skip=frozenset(skip or ()),
        layout=layout,
    )
    with told_when_stopped(f"Stopped; {to} is not made."):
        for effect in prepare(source, to, plan):
            typer.echo(str(effect))
