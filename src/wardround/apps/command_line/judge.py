"""`wardround judge RUN`: judges the trials of a run again, by its programs or by other models."""

from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.run_options import Trust

PROGRAM = "program"


def judge(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    verdicts: Annotated[str | None, typer.Option(help="The verdicts to repeat: program.")] = None,
    role_model: Annotated[
        list[str] | None,
        typer.Option(help="A model that judges, as ROLE=PROVIDER:NAME; may be repeated."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The name of the set of verdicts. [the model's name]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
    trust: Trust = False,
) -> None:
    """Grade a run again with today's programs, or add the verdicts of other models."""
    from wardround.core.errors import UserError

    if (verdicts is None) == (not role_model):
        raise UserError("Name the judge: --verdicts program, or --role-model ROLE=PROVIDER:NAME.")
    if verdicts not in (None, PROGRAM):
        raise UserError(
            f"--verdicts takes only {PROGRAM}, not {verdicts!r}; add verdicts of models with "
            "--role-model."
        )
    if role_model:
        _by_models(run, role_model, name or "", as_json=as_json, trust=trust)
    else:
        _by_programs(run, as_json=as_json, trust=trust)


def _by_programs(run: Path, *, as_json: bool, trust: bool) -> None:
    from wardround.apps.command_line.output import print_summary
    from wardround.report.run_report import read_report
    from wardround.runs.judging import judge_by_programs

    changes = judge_by_programs(run, trust=trust)
    print_summary(read_report(run).summary, as_json=as_json)
    typer.echo(f"{changes.scored} trials judged again, {len(changes.changed)} changed.", err=True)
    for line in (*changes.changed, *changes.unchanged):
        typer.echo(line, err=True)


def _by_models(run: Path, role_model: list[str], name: str, *, as_json: bool, trust: bool) -> None:
    from wardround.apps.command_line.choices import models_by_role
    from wardround.apps.command_line.output import print_summary
    from wardround.report.run_report import read_report
    from wardround.runs.judging import judge_by_models
    from wardround.runs.open_run import settings_of
    from wardround.runs.scoring import records_by

    roles = settings_of(run).declaration.roles
    models = models_by_role(roles, {"name": None, "base_url": None}, role_model)
    added = judge_by_models(run, models, name, trust=trust)
    print_summary(read_report(run, records_by(run, added.judge)).summary, as_json=as_json)
    typer.echo(
        f"{added.trials} trials judged by {added.judge}; show them with: "
        f"wardround report {run} --judge {added.judge}",
        err=True,
    )
    for line in added.problems:
        typer.echo(line, err=True)
