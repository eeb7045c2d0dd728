"""`wardround tasks`: commands about task files."""

from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line import ambiguities as injecting
from wardround.apps.command_line import questions as making
from wardround.apps.command_line.options import BaseUrl, Cache, ReasoningEffort, Record, Replay

app = typer.Typer(help="Make tasks and check them.", no_args_is_help=True, rich_markup_mode=None)
make = typer.Typer(help="Make tasks.", no_args_is_help=True, rich_markup_mode=None)
make.command("ehrsql")(making.ehrsql)
make.command("interact")(injecting.interact)
app.add_typer(make, name="make")
app.command()(injecting.check)


@app.callback()
def options() -> None:
    """Make tasks and check them."""


@make.callback()
def made() -> None:
    """Make tasks of your own."""


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
    from wardround.apps.command_line.output import print_summary
    from wardround.runs.validation import validate_tasks

    settings = chosen_settings(benchmark=benchmark, tasks=tasks, database=database, agent="oracle")
    verdict = validate_tasks(settings)
    print_summary(verdict.summary, as_json=as_json, first=1)
    for defect in verdict.defects:
        typer.echo(f"{defect.where}: {defect.reason}", err=True)
    if verdict.defects:
        raise typer.Exit(1)


@app.command()
def paraphrase(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark: ehrsql.")],
    to: Annotated[Path, typer.Option(help="The review file, to make or to go on with.")],
    model: Annotated[str | None, typer.Option(help="The language model, as provider:name.")] = None,
    base_url: BaseUrl = None,
    reasoning_effort: ReasoningEffort = None,
    role_model: Annotated[
        list[str] | None,
        typer.Option(
            help="A role's own model, as ROLE=PROVIDER:NAME[,SETTING=VALUE...]; roles are "
            "paraphraser and judge. [--model for both]"
        ),
    ] = None,
    template: Annotated[
        list[str] | None, typer.Option(help="A template by its id; may be repeated. [all]")
    ] = None,
    count: Annotated[
        int, typer.Option(min=1, max=100, help="Wordings that are asked for of each template.")
    ] = 10,
    distance: Annotated[
        float,
        typer.Option(min=0, max=1, help="The least edit distance, as a share of the letters."),
    ] = 0.15,
    again: Annotated[
        bool, typer.Option("--again", help="Ask for more of templates that the file has lines of.")
    ] = False,
    seed: Annotated[int, typer.Option(help="What is sent along as the model's seed.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Templates that are asked at once.")] = 4,
    cache: Cache = None,
    record: Record = None,
    replay: Replay = None,
) -> None:
    """Ask a language model for more wordings of question templates, for a person to review."""
    from wardround.apps.command_line.choices import models_by_role
    from wardround.apps.command_line.paraphrases import TEMPERATURES, paraphrase_questions
    from wardround.core.declaration import Role
    from wardround.models.roles import RoleModels

    roles = [Role(name, "", warmth) for name, warmth in TEMPERATURES.items()]
    shared = {"name": model, "base_url": base_url, "reasoning_effort": reasoning_effort}
    named = models_by_role(roles, shared, role_model or [])
    paraphrase_questions(
        benchmark,
        to,
        template or [],
        RoleModels(named, cache=cache, record=record, replay=replay),
        count=count,
        distance=distance,
        seed=seed,
        again=again,
        concurrency=concurrency,
    )
