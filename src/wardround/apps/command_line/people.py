"""`wardround people`: tests simulated people without an agent."""

from functools import partial

from typer.core import TyperGroup

from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.work import work_command

GUARDS = "wardround.guards"

guard = PluginGroup(
    "guard",
    "Test whether a simulated user reveals what it must not.",
    "NAME",
    GUARDS,
    partial(work_command, GUARDS),
)

command = TyperGroup(
    name="people",
    help="Test simulated people.",
    commands=[guard],
    no_args_is_help=True,
    rich_markup_mode=None,
)
