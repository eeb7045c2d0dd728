"""`wardround tasks`: makes and checks tasks of a benchmark."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import typer
from typer.core import TyperGroup

from wardround.apps.command_line.common_options import VALIDATE_OPTIONS
from wardround.apps.command_line.parameters import OptionsCommand
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.run import benchmark_command
from wardround.apps.command_line.work import work_command
from wardround.core import plugins
from wardround.core.task import Defect


def validate_command(name: str) -> OptionsCommand:
    """The command that runs a benchmark's oracle on its tasks."""
    return benchmark_command(name, VALIDATE_OPTIONS, partial(validate_tasks, name))


def validate_tasks(name: str, typed: dict[str, Any]) -> None:
    """Runs the oracle on every task; exits 1 if a gold does not pass its own grader."""
    from wardround.apps.command_line.choices import settings_for_tasks
    from wardround.apps.command_line.output import print_summary
    from wardround.runs.validation import validate_tasks as validated

    as_json = typed.pop("as_json", False)
    checked = validated(settings_for_tasks(name, typed), typed.get("grading", ""))
    print_summary(checked.summary, as_json=as_json, first=1)
    for cause, defects in groupby(checked.defects, attrgetter("cause")):
        _print_defects(cause, list(defects))
    if checked.defects:
        raise typer.Exit(1)


def _print_defects(cause: str, defects: Sequence[Defect]) -> None:
    """Prints a cause and the tasks with it, on standard error."""
    typer.echo(f"{cause} ({len(defects)}):", err=True)
    for defect in defects:
        detail = defect.reason.removeprefix(cause)
        typer.echo(f"  {defect.where}{detail}", err=True)


make = PluginGroup(
    "make", "Make tasks of your own.", "NAME", plugins.work("make"), partial(work_command, "make")
)
check = PluginGroup(
    "check",
    "Check the requirements of a kind of tasks; exit 1 if a task fails one.",
    "NAME",
    plugins.work("check"),
    partial(work_command, "check"),
)
review = PluginGroup(
    "review",
    "Read what people decided about tasks; exit 1 if they refuse one.",
    "NAME",
    plugins.work("review"),
    partial(work_command, "review"),
)
paraphrase = PluginGroup(
    "paraphrase",
    "Ask a language model for more wordings, for a person to review.",
    "NAME",
    plugins.work("paraphrase"),
    partial(work_command, "paraphrase"),
)
sheet = PluginGroup(
    "sheet",
    "Write a sheet of tasks for people to review.",
    "NAME",
    plugins.work("sheet"),
    partial(work_command, "sheet"),
)
revise = PluginGroup(
    "revise",
    "Apply a sheet that people filled in to tasks.",
    "NAME",
    plugins.work("revise"),
    partial(work_command, "revise"),
)
validate = PluginGroup(
    "validate",
    "Let the oracle do every task; exit 1 if a gold does not pass its own grader.",
    "NAME",
    plugins.BENCHMARKS,
    validate_command,
)

command = TyperGroup(
    name="tasks",
    help="Make and check tasks.",
    commands=[make, check, review, paraphrase, sheet, revise, validate],
    no_args_is_help=True,
    rich_markup_mode=None,
)
