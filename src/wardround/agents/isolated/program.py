"""Agents from elsewhere as a run names them, and what they declare."""

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.agents.isolated.messages import OPENING
from wardround.core import plugins
from wardround.core.errors import UserError

EXEC = "exec:"
_MISSING_FILES = ", and what it reads outside its own package with --agent-allow read:PATH"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent from elsewhere, as a run names it.

    Attributes:
        name: `exec:COMMAND`, `module:function`, or an installed name.
        settings: Its own options, as they were typed.
        agent_model: The file or folder of `--agent-model`.
        trained: The files it was trained into before the run, by database.
        allowed: the names given with `--agent-allow`.
        protected: Files and folders of the run that it must not see.
        run: The run's folder; None for none.
        unconfined: True if it runs with the account's files and network.
        per_trial: True if each trial has a process of its own.
    """

    name: str
    settings: Mapping[str, str]
    agent_model: Path | None = None
    trained: Mapping[str, Path] | None = None
    allowed: tuple[str, ...] = ()
    protected: tuple[Path, ...] = ()
    run: Path | None = None
    unconfined: bool = False
    per_trial: bool = False

    @property
    def is_command(self) -> bool:
        """True if it is a command that speaks the protocol by itself."""
        return self.name.startswith(EXEC)

    @property
    def import_path(self) -> str:
        """The `module:attribute` of one that is not a command; "" if none of its name is there."""
        return plugins.place_of(plugins.AGENTS, self.name)

    def words(self) -> list[str]:
        """The command of one that is a command, with absolute paths of the files it names.

        Raises:
            UserError: There is no such command, or it is given settings.
        """
        program, *arguments = shlex.split(self.name.removeprefix(EXEC)) or [""]
        executable = shutil.which(program)
        if executable is None:
            raise UserError(f"{self.name!r} names no command; check that it is installed.")
        if self.settings or self.agent_model:
            raise UserError(
                "A command takes no --agent-setting and no --agent-model; add them to the command "
                "itself."
            )
        return [str(Path(executable).absolute()), *map(_absolute_file, arguments)]

    def files(self) -> list[Path]:
        """The files that are arguments of its command."""
        if not self.is_command:
            return []
        return [Path(word) for word in self.words()[1:] if Path(word).is_file()]

    def message(self, kind: str, model: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The message that opens or describes it."""
        return {
            "type": kind,
            "trial": OPENING,
            "agent": self.import_path,
            "settings": dict(self.settings),
            "agent_model": None if self.agent_model is None else str(self.agent_model),
            "trained": {name: str(file) for name, file in (self.trained or {}).items()},
            "model": model,
        }


def cannot_open(program: AgentProgram, reason: str) -> UserError:
    """The error for an agent that cannot be opened."""
    missing = "" if program.unconfined or program.is_command else _MISSING_FILES
    return UserError(
        f"The agent {program.name!r} cannot be opened ({reason}); name a function that takes the "
        f"model and returns a function that makes agents{missing}."
    )


def _absolute_file(word: str) -> str:
    """The word, or the absolute path of the file that it names."""
    return str(Path(word).absolute()) if Path(word).is_file() else word
