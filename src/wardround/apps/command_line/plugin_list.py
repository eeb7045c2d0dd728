"""`wardround list`: the installed plug-ins with a line on each."""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import typer


def list_plugins() -> None:
    """List installed benchmarks, agents, engines and other plug-ins, with a line on each."""
    for line in _lines():
        typer.echo(line)


def _lines() -> Iterator[str]:
    from wardround.core import plugins
    from wardround.core.installed_packages import installed_entry_points

    groups = sorted({point.group for point in installed_entry_points()})
    first = [plugins.BENCHMARKS, plugins.AGENTS]
    for group in [*first, *(group for group in groups if group not in first)]:
        installed = dict(_loaded(group))
        yield f"{group.partition('.')[2]}:"
        width = max(map(len, installed), default=0)
        yield from (f"  {name:<{width}}  {_summary(plugin)}" for name, plugin in installed.items())


def _loaded(group: str) -> Iterator[tuple[str, Any]]:
    """The plug-ins of a group; of agents from elsewhere, which run confined, their places."""
    from wardround.core import plugins

    if group != plugins.AGENTS:
        yield from plugins.load_all(group)
        return
    for name in plugins.names(group):
        if plugins.is_own(group, name):
            yield name, plugins.load(group, name)
        else:
            yield name, f"{plugins.place_of(group, name)}, from elsewhere"


def _summary(plugin: Any) -> str:
    """The summary line of a plug-in, or the reason why it cannot be imported."""
    from wardround.core.plugins import Broken

    if isinstance(plugin, str):
        return plugin
    if isinstance(plugin, Broken):
        return plugin.reason
    return getattr(plugin, "summary", "") or (getdoc(plugin) or "").partition("\n")[0]
