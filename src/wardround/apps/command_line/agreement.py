"""`wardround agreement`: compares the verdicts of programs, models, people and files."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.work import work_command
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.run_document import SETTINGS
from wardround.core.run_reader import read_settings

AGREEMENT: Final = "agreement"


def folder_command(word: str) -> Any:
    """The command for a run's benchmark.

    Raises:
        UserError: The folder is not a run, or its benchmark's verdicts cannot be compared.
    """
    folder, names = Path(word), plugins.names(plugins.work(AGREEMENT))
    if not (folder / SETTINGS).is_file():
        raise UserError(
            f"{word} is not a run; name its benchmark before it, one of {', '.join(names)}."
        )
    name = read_settings(folder)["settings"]["benchmark"]
    if name not in names:
        raise UserError(f"Verdicts of {name} cannot be compared; only those of {', '.join(names)}.")
    return work_command(AGREEMENT, name)


command = PluginGroup(
    "agreement",
    "Compare the verdicts of programs, models, people and files on the same submissions: a run's "
    "(RUN), or published ones (NAME FOLDER).",
    "NAME|RUN",
    plugins.work(AGREEMENT),
    partial(work_command, AGREEMENT),
    folder_command,
)
