"""Finds agents, benchmarks and the like by name among the installed entry points."""

import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from wardround.core.errors import UserError


def names(group: str) -> list[str]:
    """The names installed in a group, sorted."""
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, name: str) -> Any:
    """The object behind a name, or behind `module:attribute`.

    Args:
        group: the entry-point group, such as "wardround.agents".
        name: an installed name, or where to import from.

    Raises:
        UserError: nothing of that name is installed, or it cannot be imported.
    """
    if ":" in name:
        # A command that was installed does not look in the folder it is called in by itself.
        if "" not in sys.path:
            sys.path.insert(0, "")
        return _imported(group, EntryPoint(name, name, group))
    found = entry_points(group=group, name=name)
    if not found:
        kind = group.rpartition(".")[2].removesuffix("s")
        raise UserError(
            f"There is no {kind} named {name!r}; installed are: {', '.join(names(group))}; "
            "your own is named as module:function."
        )
    return _imported(group, next(iter(found)))


def _imported(group: str, point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"{point.value!r} of {group} cannot be imported ({error}); check the name and that "
            "its package is installed."
        ) from error
