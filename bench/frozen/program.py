"""Runs the commands of a checkout in a work folder."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

WIDTH = "1000"
"""Terminal width for programs, so that no path causes a line break."""


@dataclass(frozen=True)
class Ended:
    """The result of a command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Program:
    """The program under test.

    Attributes:
        wardround: the path of its command.
        work: the folder of commands, caches and databases.
        form: the form of argument lists: "before" or "now".
    """

    wardround: Path
    work: Path
    form: str

    @property
    def checkout(self) -> Path:
        """The repository with `.venv/bin/wardround`."""
        return self.wardround.parents[2]

    @property
    def places(self) -> dict[str, str]:
        """Placeholders by folder."""
        return {str(self.work): "{work}", str(self.checkout): "{checkout}"}

    def line(self, via: str, words: list[str]) -> list[str]:
        """Returns the whole command line."""
        python = str(self.wardround.with_name("python"))
        starts = {
            "wardround": [str(self.wardround)],
            "python": [python],
            "pytest": [python, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--color=no"],
        }
        return [*starts[via], *words]

    def environment(self) -> dict[str, str]:
        """Returns an environment with its own caches and servers, and a fixed terminal."""
        own = {
            "XDG_CACHE_HOME": str(self.work / "cache"),
            "XDG_DATA_HOME": str(self.work / "data"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "COLUMNS": WIDTH,
            "NO_COLOR": "1",
            "TERM": "dumb",
        }
        return {**os.environ, **own}

    def run(self, via: str, words: list[str]) -> Ended:
        """Runs a command and returns its result."""
        ended = subprocess.run(
            self.line(via, words),
            cwd=self.checkout if via == "pytest" else self.work,
            env=self.environment(),
            capture_output=True,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    def start(self, words: list[str]) -> subprocess.Popen[bytes]:
        """Starts wardround in a new process group, so that all its processes can be killed."""
        return subprocess.Popen(
            self.line("wardround", words),
            cwd=self.work,
            env=self.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
