"""`wardround train AGENT`: trains an agent on questions with their SQL."""

from functools import partial

from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.work import work_command
from wardround.core import plugins

command = PluginGroup(
    "train",
    "Train an agent on questions with their SQL.",
    "AGENT",
    plugins.work("train"),
    partial(work_command, "train"),
)
