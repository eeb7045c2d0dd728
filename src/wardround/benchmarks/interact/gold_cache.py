"""Cache of golds that passed, so that they are not run again on the same database."""

from pathlib import Path

from wardround import __version__
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.folders import cache_folder
from wardround.core.task import digest


class PassedGolds:
    """A file with one line for each task and database whose golds passed.

    Args:
        path: The file; that of the user's cache folder by default.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or cache_folder() / "interact-golds.txt"
        text = self._path.read_text("ascii", "replace") if self._path.exists() else ""
        self._known = set(text.split())

    def holds(self, task: InteractTask, fingerprint: str) -> bool:
        """True if the task's golds passed on a database of this content."""
        return _line(task, fingerprint) in self._known

    def add(self, task: InteractTask, fingerprint: str) -> None:
        """Notes that they passed."""
        line = _line(task, fingerprint)
        self._known.add(line)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="ascii") as file:
            file.write(f"\n{line}")  # on a line of its own, whatever the file ends with


def _line(task: InteractTask, fingerprint: str) -> str:
    return digest([__version__, task, fingerprint])
