"""`wardround train AGENT`: trains an agent on questions with their SQL."""

from functools import partial

from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.work import work_command

TRAINERS = "wardround.trainers"

command = PluginGroup(
    "train",
    "Train an agent on questions with their SQL.",
    "AGENT",
    TRAINERS,
    partial(work_command, TRAINERS),
)
