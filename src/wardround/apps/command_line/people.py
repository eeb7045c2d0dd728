"""`wardround people`: what can be said of simulated people without any agent."""

from pathlib import Path
from typing import Annotated

import typer

from wardround.apps.command_line.options import BaseUrl

app = typer.Typer(help="Try simulated people.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def people() -> None:
    """Try simulated people."""


@app.command()
def guard(
    simulator: Annotated[
        str, typer.Option(help="The user: model-free, function-driven or baseline.")
    ] = "model-free",
    tasks: Annotated[
        Path | None, typer.Option(help="Tasks of BIRD-Interact. [the shipped suite]")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="A guard set. [the shipped one; with --tasks: made of these]"),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The user's model, as provider:name.")] = None,
    base_url: BaseUrl = None,
    role_model: Annotated[
        list[str] | None,
        typer.Option(
            help="A role's own model, as ROLE=PROVIDER:NAME[,SETTING=VALUE...]; roles are user, "
            "judge and second_judge, both of which must agree. [no judges: by reference]"
        ),
    ] = None,
    replies: Annotated[
        Path | None, typer.Option(help="A new file for each question and what was said to it.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask only so many questions.")] = None,
    seed: Annotated[int, typer.Option(help="Of questions that are made, and of models.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Put guard questions to a simulated user of BIRD-Interact: does it tell what it must not?"""
    import asyncio

    from wardround.apps.command_line.choices import models_by_role
    from wardround.apps.command_line.output import print_summary
    from wardround.authoring.interact.guard.run import guard as guarded
    from wardround.core.benchmark import Summary
    from wardround.core.errors import UserError
    from wardround.core.trajectory import Requested
    from wardround.models.roles import RoleModels
    from wardround.people.clarifying.guard import SIMULATORS

    chosen = next((one for one in SIMULATORS if one == simulator), None)
    if chosen is None:
        raise UserError(
            f"There is no user {simulator!r}; --simulator takes {', '.join(SIMULATORS)}."
        )
    from wardround.core.declaration import Role

    roles = [Role(name, "") for name in ("user", "judge", "second_judge")]
    none = {"name": None, "base_url": None, "reasoning_effort": None}
    shared = none | {"name": model, "base_url": base_url}
    named = models_by_role(roles[:1], shared, ())
    named |= models_by_role(roles, none, role_model or [])
    models = RoleModels(named)
    requests: list[Requested] = []

    async def ask() -> Summary:
        try:
            return await guarded(
                chosen,
                models,
                requests.append,
                tasks=tasks,
                questions=questions,
                replies=replies,
                limit=limit,
                seed=seed,
            )
        finally:
            await models.close()

    print_summary(asyncio.run(ask()), as_json=as_json)
    if requests:
        typer.echo(f"{len(requests):,} requests to models.", err=True)
