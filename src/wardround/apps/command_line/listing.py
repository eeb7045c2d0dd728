"""`wardround list`: what is installed, with a line on each."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from inspect import getdoc
from typing import Any

import typer


def list_plugins() -> None:
    """List what is installed, with a line on each: benchmarks, agents, engines and the like."""
    for line in _lines():
        typer.echo(line)


def _lines() -> Iterator[str]:
    from wardround.core import plugins

    groups = sorted(group for group in entry_points().groups if group.startswith("wardround."))
    first = [plugins.BENCHMARKS, plugins.AGENTS]
    for group in [*first, *(group for group in groups if group not in first)]:
        found = dict(plugins.load_all(group))
        yield f"{group.partition('.')[2]}:"
        width = max(map(len, found), default=0)
        yield from (f"  {name:<{width}}  {_summary(what)}" for name, what in found.items())


def _summary(found: Any) -> str:
    """What a plug-in says of itself."""
    from wardround.core.plugins import Broken

    if isinstance(found, Broken):
        return found.reason
    return getattr(found, "summary", "") or (getdoc(found) or "").partition("\n")[0]
