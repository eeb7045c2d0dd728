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
        installed = dict(plugins.load_all(group))
        yield f"{group.partition('.')[2]}:"
        width = max(map(len, installed), default=0)
        yield from (f"  {name:<{width}}  {_summary(plugin)}" for name, plugin in installed.items())


def _summary(plugin: Any) -> str:
    """The summary line of a plug-in, or the reason why it cannot be imported."""
    from wardround.core.plugins import Broken

    if isinstance(plugin, Broken):
        return plugin.reason
    return getattr(plugin, "summary", "") or (getdoc(plugin) or "").partition("\n")[0]
