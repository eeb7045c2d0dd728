"""`wardround data prepare`: converts an official release to a benchmark's layout."""

from datetime import datetime
from typing import Annotated

import typer

from wardround.apps.command_line.data.interrupt import exit_on_interrupt


def prepare(
    source: Annotated[
        str, typer.Argument(help="A database built from MIMIC-III, MIMIC-IV or eICU.")
    ],
    layout: Annotated[
        str,
        typer.Option(
            help="The layout to create: ehrsql_mimic_iii, ehrsql_mimic_iv, ehrsql_eicu, or"
            " ehrsql_mimic_iv_star, which `wardround data rename mimic_iv_star` renames."
        ),
    ],
    to: Annotated[str, typer.Option(help="The database to write: a file or a URL.")],
    patients: Annotated[
        int, typer.Option(min=1, help="The maximum number of patients to sample.")
    ] = 1000,
    current: Annotated[
        float, typer.Option(min=0, max=1, help="Share of patients who are currently in hospital.")
    ] = 0.1,
    seed: Annotated[int, typer.Option(help="The seed of all random choices.")] = 0,
    now: Annotated[
        datetime | None,
        typer.Option(
            help="The current time. [2100-12-31 23:59:00 for ehrsql_mimic_iv_star, else 2105]"
        ),
    ] = None,
    first: Annotated[datetime, typer.Option(help="The earliest date of a first visit.")] = datetime(
        2100, 1, 1
    ),
    skip: Annotated[
        list[str] | None,
        typer.Option(
            help="A step to skip; may be repeated: ages, sample, vitals, millilitres, paths,"
            " lower, units, shift, now, shuffle, cost."
        ),
    ] = None,
    keep_record: Annotated[
        bool,
        typer.Option(
            "--keep-record",
            help="Keep all patients with their own times and values and make no costs, to `ask`"
            " questions of the record: skips ages, sample, shift, now, shuffle and cost.",
        ),
    ] = False,
) -> None:
    """Prepare a release as the papers do: sample patients, shift times, unify units, add costs."""
    from wardround.ehr.ingest.preparation import RECORD_CHANGES, Plan, step_lines
    from wardround.ehr.ingest.preparation import prepare as prepared

    plan = Plan(
        seed=seed,
        patients=patients,
        current=current,
        now=now,
        first=first,
        skip=frozenset(skip or ()) | (RECORD_CHANGES if keep_record else frozenset()),
        layout=layout.replace("-", "_"),
    )
    with exit_on_interrupt(f"Stopped; {to} is not made."):
        for line in step_lines(prepared(source, to, plan)):
            typer.echo(line)
