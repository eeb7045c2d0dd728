"""Commands for declared work: making and checking tasks, scoring files, training."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import typer
from pydantic import BaseModel

from wardround.apps.command_line.common_options import (
    MODEL_OPTIONS,
    OUTPUT_OPTIONS,
    WORK_OPTIONS,
)
from wardround.apps.command_line.parameters import (
    CommandOption,
    OptionsCommand,
    option_name,
    options_command,
    options_of,
    with_defaults,
)
from wardround.core import plugins
from wardround.core.declaration import WorkDeclaration
from wardround.core.declared import checked_options, work_declaration
from wardround.core.work import Progress, WorkContext, WorkResult


def work_command(kind: plugins.WorkKind, name: str) -> OptionsCommand:
    """The command for declared work, by an installed name or `module:attribute`.

    Raises:
        UserError: It does not exist, or cannot be imported.
    """
    return declared_command(work_declaration(kind, name), name)


def declared_command(declared: WorkDeclaration, name: str) -> OptionsCommand:
    """The command of a declaration, under a name."""
    options: dict[str, Iterable[CommandOption]] = {
        f"Options of {declared.name}": options_of(declared.options)
    }
    notes = {}
    if declared.roles:
        options["Models"] = MODEL_OPTIONS
        notes["role_model"] = "Roles: " + ", ".join(role.name for role in declared.roles)
    options["Output"] = OUTPUT_OPTIONS
    return options_command(name, declared.summary, options, partial(do_work, declared), notes)


def do_work(declared: WorkDeclaration, typed: dict[str, Any]) -> None:
    """Does the work, prints its result, and exits with its status."""
    from wardround.apps.command_line.choices import models_by_role, shared_model, with_prices
    from wardround.models.roles import RoleModels

    given = {k: v for k, v in typed.items() if k in declared.options.model_fields}
    common = with_defaults(WORK_OPTIONS, typed)
    options = checked_options(declared.options, given, option_name)
    models = RoleModels(
        with_prices(
            models_by_role(declared.roles, shared_model(common), common["role_model"] or ()),
            common["price"] or (),
        ),
        cache=common["cache"],
        record=common["record"],
        replay=common["replay"],
    )
    work = plugins.implementation(declared.implementation)
    with _interruptible(declared, options), _progress_bar() as progress:
        result: WorkResult = work(options, WorkContext(models, progress))
    _print(result, as_json=common["as_json"])
    if result.status:
        raise typer.Exit(result.status)


def _print(result: WorkResult, *, as_json: bool) -> None:
    from wardround.apps.command_line.output import print_json, print_summary
    from wardround.report.tables import summary_to_json

    if result.plots is not None:
        from wardround.report.svg import save_plots

        save_plots(result.summary, result.plots)
    if as_json:
        print_json({**result.values, **summary_to_json(result.summary)})
    elif result.summary.tables:
        printed_count = len(result.summary.tables) - len(result.long)
        if unprinted := print_summary(result.summary, as_json=False, first=printed_count):
            typer.echo(f"More with --json: {', '.join(unprinted)}", err=True)
    for line in result.notes:
        typer.echo(line, err=as_json)
    for line in result.problems:
        typer.echo(line, err=True)


@contextmanager
def _interruptible(declared: WorkDeclaration, options: BaseModel) -> Iterator[None]:
    """Prints the declared message if the user interrupts the work."""
    try:
        yield
    except KeyboardInterrupt:
        remaining = declared.interrupted.format_map(dict(options))
        typer.echo(f"Stopped; {remaining}" if remaining else "Stopped.", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """A bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    with Bar(console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task("", total=None)

        def report(done: int, total: int | None, text: str) -> None:
            bars.update(bar, completed=done, total=total, description=text)
            if not console.is_terminal and text.endswith("…"):
                typer.echo(text, err=True)

        yield report
