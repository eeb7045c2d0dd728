"""Cache of golds that passed, so that they are not run again on the same database."""

from pathlib import Path
from typing import Any

from wardround import __version__
from wardround.core.task import Task, digest


class PassedGolds:
    """A file with a line for each task and database whose golds passed.

    Args:
        path: the file; it is made with the first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text("ascii", "replace") if path.exists() else ""
        self._known = set(text.split())

    def holds(self, task: Task[Any, Any], fingerprint: str) -> bool:
        """True if the task's golds passed on a database of this content."""
        return _line(task, fingerprint) in self._known

    def add(self, task: Task[Any, Any], fingerprint: str) -> None:
        """Records that the task's golds passed."""
        line = _line(task, fingerprint)
        self._known.add(line)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="ascii") as file:
            file.write(f"\n{line}")  # on a line of its own, whatever the file ends with


def _line(task: Task[Any, Any], fingerprint: str) -> str:
    return digest([__version__, task, fingerprint])
