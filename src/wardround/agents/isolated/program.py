"""Agents from elsewhere as a run names them, and what they declare."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from wardround.agents.isolated.messages import OPENING
from wardround.core.errors import UserError
from wardround.core.serialization import to_line
from wardround.sandbox.privileges import unprivileged

EXEC = "exec:"


_HOST = """
import sys
sys.path[:] = sys.argv[1:]
from wardround.agents.isolated.host import main
main()
"""


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent from elsewhere, as a run names it.

    Attributes:
        name: `exec:COMMAND`, `module:function`, or an installed name.
        settings: Its own options, as they were typed.
        agent_model: The file or folder of `--agent-model`.
        trained: The files it was trained into before the run, by database.
    """

    name: str
    settings: Mapping[str, str]
    agent_model: Path | None = None
    trained: Mapping[str, Path] | None = None

    @property
    def is_command(self) -> bool:
        """True if it is a command that speaks the protocol by itself."""
        return self.name.startswith(EXEC)

    def command(self) -> list[str]:
        """The command that runs it.

        Raises:
            UserError: there is no such command, or it is given settings.
        """
        if not self.is_command:
            return [sys.executable, "-c", _HOST, *sys.path]
        words = shlex.split(self.name.removeprefix(EXEC))
        if not words or shutil.which(words[0]) is None:
            raise UserError(f"{self.name!r} names no command; check that it is installed.")
        if self.settings or self.agent_model:
            raise UserError(
                "A command takes no --agent-setting and no --agent-model; add them to the command "
                "itself."
            )
        return words

    def message(self, kind: str, model: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The message that opens or describes it."""
        return {
            "type": kind,
            "trial": OPENING,
            "agent": self.name,
            "settings": dict(self.settings),
            "agent_model": None if self.agent_model is None else str(self.agent_model),
            "trained": {name: str(file) for name, file in (self.trained or {}).items()},
            "model": model,
        }


def described(program: AgentProgram) -> dict[str, Any]:
    """The agent's training as it declares it: `train` (empty for none), `pairs` and `format`.

    It is asked for in a process that ends with the answer.

    Raises:
        UserError: its options do not fit, or it cannot be imported.
    """
    if program.is_command:
        return {"train": "", "pairs": "", "format": 0}
    asked = to_line(program.message("describe")) + b"\n"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        unprivileged(program.command()), input=asked, stdout=subprocess.PIPE, check=False
    )
    if done.returncode or not done.stdout:
        raise cannot_open(program, f"its process ended with exit code {done.returncode}")
    return checked_opening(program, orjson.loads(done.stdout))


def checked_opening(program: AgentProgram, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer to an opening.

    Raises:
        UserError: the agent was refused.
    """
    if answer.get("type") == "refused":
        if "message" in answer:
            raise UserError(str(answer["message"]))
        raise cannot_open(program, str(answer.get("reason")))
    return answer


def cannot_open(program: AgentProgram, reason: str) -> UserError:
    """The error for an agent that cannot be opened."""
    return UserError(
        f"The agent {program.name!r} cannot be opened ({reason}); name a function that takes the "
        "model and returns a function that makes agents."
    )
