"""Finds plug-ins by name among the installed entry points, or as `module:attribute`."""

import importlib
import sys
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from wardround.core.errors import UserError
from wardround.core.installed_packages import EntryPoint, installed_entry_points

BENCHMARKS, AGENTS = "wardround.benchmarks", "wardround.agents"
PAIR_SOURCES, WORK = "wardround.pairs", "wardround.work"
WorkKind: TypeAlias = Literal[
    "make",
    "check",
    "review",
    "paraphrase",
    "sheet",
    "revise",
    "guard",
    "score",
    "agreement",
    "train",
    "annotate",
]
# The places of plug-ins that users named as `module:attribute`.
_named_places: set[str] = set()


class Broken(NamedTuple):
    """A plug-in that cannot be imported, and why."""

    name: str
    reason: str


def work(kind: WorkKind) -> str:
    """The group of a kind of work: entry points `KIND.NAME` of `wardround.work`, by `NAME`."""
    return f"{WORK}.{kind}"


def installed(group: str) -> list[EntryPoint]:
    """The entry points of a group, or of a kind of work."""
    if not group.startswith(f"{WORK}."):
        return [point for point in installed_entry_points() if point.group == group]
    kind = f"{group.removeprefix(f'{WORK}.')}."
    return [
        point._replace(name=point.name.removeprefix(kind))
        for point in installed(WORK)
        if point.name.startswith(kind)
    ]


def names(group: str) -> list[str]:
    """The names installed in a group, sorted."""
    return sorted({point.name for point in installed(group)})


def load(group: str, name: str) -> Any:
    """The object behind a name, or behind `module:attribute`.

    Args:
        group: The entry-point group, such as "wardround.agents".
        name: An installed name, or `module:attribute`.

    Raises:
        UserError: No plug-in of that name is installed, or it cannot be imported.
    """
    if ":" in name:
        # An installed command does not have the current folder on its path.
        if "" not in sys.path:
            sys.path.insert(0, "")
        _named_places.add(name)
        return _imported(group, name)
    point = next((point for point in installed(group) if point.name == name), None)
    if point is None:
        kind = group.removeprefix("wardround.").replace(".", " to ").removesuffix("s")
        raise UserError(
            f"There is no {kind} named {name!r}; installed are: {', '.join(names(group))}; "
            "name your own as module:function."
        )
    return _imported(group, point.value)


def plugin_of(module: str) -> str:
    """The plug-in that a module belongs to: its installed name or its place; "" if there is none.

    A plug-in's package is the first part of its entry point's module.
    """
    package = module.partition(".")[0]
    named = (
        location
        for location in _named_places
        if location.partition(":")[0].partition(".")[0] == package
    )
    points = (
        f"{point.name!r} of {package}"
        for point in installed_entry_points()
        if point.group.startswith("wardround.") and point.value.partition(".")[0] == package
    )
    return "" if package == "wardround" else next(points, "") or next(named, "")


def is_own(group: str, name: str) -> bool:
    """True if a name refers to wardround's own code or to nothing; imports nothing."""
    location = place_of(group, name) or "wardround"
    return location.partition(":")[0].partition(".")[0] == "wardround"


def place_of(group: str, name: str) -> str:
    """The `module:attribute` behind a name; "" if no plug-in of that name is installed."""
    if ":" in name:
        return name
    return next((point.value for point in installed(group) if point.name == name), "")


def load_all(group: str) -> Iterator[tuple[str, Any]]:
    """The plug-ins of a group by name; a `Broken` for one that cannot be imported."""
    for name in names(group):
        try:
            yield name, load(group, name)
        except UserError as error:
            yield name, Broken(name, str(error))


def implementation(location: str) -> Any:
    """Imports the object at `module:attribute`, as named by a declaration.

    Raises:
        UserError: It cannot be imported.
    """
    return _imported("its declaration", location)


def _imported(group: str, location: str) -> Any:
    try:
        return _object(location)
    except UserError as error:
        raise UserError(f"The plug-in {location!r} of {group} is refused. {error}") from error
    except Exception as error:  # a third party's module may raise anything while it is imported
        raise UserError(
            f"{location!r} of {group} cannot be imported ({_reason(error)}); check the name and "
            "that its package is installed."
        ) from error


def _object(location: str) -> Any:
    module, _, attribute = location.partition(":")
    value: Any = importlib.import_module(module)
    for name in attribute.split("."):
        value = getattr(value, name)
    return value


def _reason(error: Exception) -> str:
    plain = isinstance(error, (ImportError, AttributeError))
    return str(error) if plain else f"{type(error).__name__}: {error}"
