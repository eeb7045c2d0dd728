"""Caches: values in memory, and golds that passed on disk."""

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
    """Values by key, for any thread; the least recently used are dropped first.

    Args:
        most: How many values it holds.
    """

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._most = most
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """The value of a key; None if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def add(self, key: Key, value: Value) -> None:
        """Store a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)

    def computed(
        self, key: Key, compute: Callable[[], Value], lasts: Callable[[Value], bool]
    ) -> Value:
        """The value of a key; one that is not there is computed, and stored if it lasts."""
        value = self.get(key)
        if value is None:
            value = compute()
            if lasts(value):
                self.add(key, value)
        return value


class PassedGolds:
    """A file with a line for each task and database whose golds passed.

    Args:
        path: the file; it is made with the first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        text = path.read_text("ascii", "replace") if path.exists() else ""
        self._known = set(text.split())

    def problem(self, task: AnyTask, fingerprint: str, check: Callable[[AnyTask], str]) -> str:
        """The fault of a task's golds; "" if they pass, which is recorded and checked only once.

        Args:
            task: the task.
            fingerprint: the content of its database.
            check: finds the fault.
        """
        line = digest([__version__, task, fingerprint])
        problem = "" if line in self._known else check(task)
        if not problem and line not in self._known:
            self._known.add(line)
            make_folder(self._path.parent)
            with open_private(self._path, "a", encoding="ascii") as file:
                file.write(f"\n{line}")  # on a line of its own, whatever the file ends with
        return problem
