"""A cache of bounded size."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


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

    def keep(self, key: Key, value: Value) -> None:
        """Store a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)
