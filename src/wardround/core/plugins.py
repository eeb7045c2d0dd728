"""Finds plug-ins by name among the installed entry points, or as `module:attribute`."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

from wardround.core.errors import UserError

BENCHMARKS, AGENTS = "wardround.benchmarks", "wardround.agents"


@dataclass(frozen=True, slots=True)
class Broken:
    """A plug-in that cannot be imported, and why."""

    name: str
    reason: str


def installed(group: str) -> EntryPoints:
    """The entry points of a group."""
    return _entry_points(tuple(sys.path)).get(group, EntryPoints())


def names(group: str) -> list[str]:
    """The names installed in a group, sorted."""
    return sorted({point.name for point in installed(group)})


def load(group: str, name: str) -> Any:
    """The object behind a name, or behind `module:attribute`.

    Args:
        group: The entry-point group, such as "wardround.agents".
        name: An installed name, or where to import from.

    Raises:
        UserError: Nothing of that name is installed, or it cannot be imported.
    """
    if ":" in name:
        # A command that was installed does not look in the folder it is called in by itself.
        if "" not in sys.path:
            sys.path.insert(0, "")
        return _imported(group, EntryPoint(name, name, group))
    found = installed(group).select(name=name)
    if not found:
        kind = group.rpartition(".")[2].removesuffix("s")
        raise UserError(
            f"There is no {kind} named {name!r}; installed are: {', '.join(names(group))}; "
            "your own is named as module:function."
        )
    return _imported(group, next(iter(found)))


def load_all(group: str) -> Iterator[tuple[str, Any]]:
    """What is installed in a group, by name; a `Broken` for what cannot be imported."""
    for name in names(group):
        try:
            yield name, load(group, name)
        except UserError as error:
            yield name, Broken(name, str(error))


def implementation(place: str) -> Any:
    """The object at `module:attribute`, which a declaration names.

    Raises:
        UserError: It cannot be imported.
    """
    return _imported("its declaration", EntryPoint(place, place, ""))


@cache
def _entry_points(path: tuple[str, ...]) -> Mapping[str, EntryPoints]:
    """The entry points of all packages in these folders, by group; their files are read once."""
    found = entry_points()
    return {group: found.select(group=group) for group in found.groups}


def _imported(group: str, point: EntryPoint) -> Any:
    try:
        return _object(point.value)
    except UserError as error:
        raise UserError(f"The plug-in {point.value!r} of {group} is refused. {error}") from error
    except Exception as error:  # whatever a stranger's module raises while it is imported
        raise UserError(
            f"{point.value!r} of {group} cannot be imported ({_reason(error)}); check the name and "
            "that its package is installed."
        ) from error


def _object(place: str) -> Any:
    module, _, attribute = place.partition(":")
    found: Any = importlib.import_module(module)
    for name in attribute.split("."):
        found = getattr(found, name)
    return found


def _reason(error: Exception) -> str:
    plain = isinstance(error, (ImportError, AttributeError))
    return str(error) if plain else f"{type(error).__name__}: {error}"
