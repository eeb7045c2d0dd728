"""`wardround data prepare`: a layout that is made of an official release."""

from datetime import datetime
from typing import Annotated

import typer

from wardround.apps.command_line.data.interrupt import told_when_stopped


def prepare(
    source: Annotated[
        str, typer.Argument(help="A database of MIMIC-III, MIMIC-IV or eICU, as built.")
    ],
    layout: Annotated[
        str,
        typer.Option(
            help="The layout to make: ehrsql_mimic_iii, ehrsql_mimic_iv, ehrsql_eicu, or"
            " ehrsql_mimic_iv_star, which `wardround data rename mimic_iv_star` renames."
        ),
    ],
    to: Annotated[str, typer.Option(help="The database to make: a file or a URL.")],
    patients: Annotated[int, typer.Option(min=1, help="How many to sample, at most.")] = 1000,
    current: Annotated[
        float, typer.Option(min=0, max=1, help="Share of them who are in hospital now.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="Decides whatever is left to chance.")] = 0,
    now: Annotated[
        datetime | None,
        typer.Option(
            help="The current time. [2100-12-31 23:59:00 for ehrsql_mimic_iv_star, else 2105]"
        ),
    ] = None,
    first: Annotated[datetime, typer.Option(help="The earliest day of a first visit.")] = datetime(
        2100, 1, 1
    ),
    skip: Annotated[
        list[str] | None,
        typer.Option(
            help="A step to leave out; repeat for more: ages, sample, vitals, millilitres, paths,"
            " lower, units, shift, now, shuffle, cost."
        ),
    ] = None,
) -> None:
    """Make a layout of an official release: patients, times, units, costs and names."""
    from wardround.ehr.ingest.preparation import Plan, step_lines
    from wardround.ehr.ingest.preparation import prepare as prepared

    plan = Plan(
        seed=seed,
        patients=patients,
        current=current,
        now=now,
        first=first,
        skip=frozenset(skip or ()),
        layout=layout.replace("-", "_"),
    )
    with told_when_stopped(f"Stopped; {to} is not made."):
        for line in step_lines(prepared(source, to, plan)):
            typer.echo(line)
