"""Everything that references lead to, for tests that something is nowhere among it."""

import gc
import re
import types
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any


def reachable(roots: Iterable[Any]) -> Iterable[Any]:
    """All objects that references lead to, without leaving through modules or classes."""
    seen: dict[int, Any] = {}
    waiting = list(roots)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, types.ModuleType | type):
            continue
        seen[id(thing)] = thing
        waiting.extend(_held(thing))
    return seen.values()


def _held(thing: Any) -> Iterable[Any]:
    if isinstance(thing, types.FunctionType):
        # Not its globals: everything imported is there, and none of it is of this trial.
        return [*(thing.__closure__ or ()), *(thing.__defaults__ or ()), thing.__dict__]
    if isinstance(thing, types.FrameType | types.TracebackType):
        return []
    return gc.get_referents(thing)


def ways_to(database: Any, roots: Iterable[Any]) -> list[Any]:
    """Whatever references lead to that says where a database is, or opens it."""
    found = list(reachable(roots))
    texts = [str(thing) for thing in found if isinstance(thing, str | bytes)]
    named = [text for text in texts if database.url in text or _LOCATION.search(text)]
    opened = [thing for thing in found if hasattr(thing, "cursor") or hasattr(thing, "writable")]
    return [*named, *opened, *(thing for thing in found if isinstance(thing, PurePath))]


_LOCATION = re.compile(r"\w://|(?<![\w.])/\w[\w.-]*/|\.(?:sqlite|duckdb)\b")
