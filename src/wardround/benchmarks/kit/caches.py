"""A bounded cache in memory, and a cache on disk of golds that passed their check."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from wardround import __version__
from wardround.core.private_files import make_folder, open_private
from wardround.core.task import Task, digest

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
AnyTask = TypeVar("AnyTask", bound=Task[Any, Any])


class BoundedCache(Generic[Key, Value]):
    """A thread-safe cache that drops the least recently used values first.

    Args:
        most: the largest number of values.
    """

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Returns the value of a key; None if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def add(self, key: Key, value: Value) -> None:
        """Stores a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def computed(
        self, key: Key, compute: Callable[[], Value], storable: Callable[[Value], bool]
    ) -> Value:
        """Returns the value of a key; computes a missing one, and stores it if `storable`."""
        value = self.get(key)
        if value is None:
            value = compute()
            if storable(value):
                self.add(key, value)
        return value


class PassedGolds:
    """A file with a line for each pair of task and database whose golds passed.

    Args:
        path: the file, created with its first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text("ascii", "replace") if path.exists() else ""
        self._known = set(text.split())

    def problem(self, task: AnyTask, fingerprint: str, check: Callable[[AnyTask], str]) -> str:
        """Returns the problem of a task's golds, or ""; golds that pass are checked only once.

        Args:
            task: the task.
            fingerprint: the content hash of its database.
            check: returns the problem, or "" if the golds pass.
        """
        line = digest([__version__, task, fingerprint])
        problem = "" if line in self._known else check(task)
        if not problem and line not in self._known:
            self._known.add(line)
            make_folder(self._path.parent)
            with open_private(self._path, "a", encoding="ascii") as file:
                file.write(
                    f"\n{line}"
                )  # the newline first: a killed run may have cut the last line
        return problem
