"""Everything that references lead to, for tests that something is nowhere among it."""

import gc
import types
from collections.abc import Iterable
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
