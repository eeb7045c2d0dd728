"""`wardround people`: makes simulated people, and tests them without an agent."""

from functools import partial

from typer.core import TyperGroup

from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.work import declared_command, work_command
from wardround.core import plugins
from wardround.people.patient.building.declaration import MEMORIES

guard = PluginGroup(
    "guard",
    "Test whether a simulated user reveals what it must not.",
    "NAME",
    plugins.work("guard"),
    partial(work_command, "guard"),
)

memories = declared_command(MEMORIES, MEMORIES.name)

command = TyperGroup(
    name="people",
    help="Make and test simulated people.",
    commands=[guard, memories],
    no_args_is_help=True,
    rich_markup_mode=None,
)
