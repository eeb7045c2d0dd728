"""Writes the reference of commands and plug-ins in Markdown, from what help is made of."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer.main
from pydantic import BaseModel
from typer.core import TyperGroup

from wardround.apps.command_line.common_options import (
    OutputOptions,
    RunOptions,
    ValidateOptions,
    WorkOptions,
)
from wardround.apps.command_line.main import app
from wardround.apps.command_line.parameters import options_command
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.core import plugins
from wardround.core.declaration import BenchmarkDeclaration, Declaration, WorkDeclaration

_COMMON: dict[str, type[BaseModel]] = {"run": RunOptions, "validate": ValidateOptions}


INTRODUCTION = """
Made from the help of the commands. What a plug-in adds is in `wardround COMMAND NAME --help` and
on its page of the site.

"""


def with_commands(page: str) -> str:
    """The settings page with the commands as they are now, between their heading and the next."""
    before, _, rest = page.partition("## Commands\n")
    _, heading, after = rest.partition("## RunSettings\n")
    return f"{before}## Commands\n{INTRODUCTION}{settings_page()}\n{heading}{after}"


def settings_page() -> str:
    """All commands with the options that they have whatever is installed."""
    return "\n".join(_command_lines("wardround", typer.main.get_command(app)))


def plugin_pages() -> dict[str, str]:
    """A page for each name that is installed: what it is, its options by command, its roles."""
    pages: dict[str, list[str]] = {}
    for title, group in _groups("wardround", typer.main.get_command(app)):
        for name in group.commands:
            pages.setdefault(name, []).extend(_plugin_lines(f"{title} {name}", group, name))
    for name, agent in plugins.load_all(plugins.AGENTS):
        command = f"wardround run NAME --agent {name}"
        pages.setdefault(name, []).extend(_declared_lines(command, agent))
    return {name: "\n".join([f"# {name}", "", *lines]) for name, lines in pages.items()}


def _groups(title: str, command: Any) -> Iterator[tuple[str, PluginGroup]]:
    command = getattr(command, "loaded", command)
    if isinstance(command, PluginGroup):
        yield title, command
    elif isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _groups(f"{title} {name}", inner)


def _command_lines(title: str, command: Any) -> Iterator[str]:
    command = getattr(command, "loaded", command)
    if isinstance(command, PluginGroup):
        common = _COMMON.get(str(command.name), WorkOptions)
        shown = options_command("NAME", str(command.help), {"Options": common}, lambda typed: None)
        yield from _section(f"{title} {command.plugin}", str(command.help), shown.params)
        return
    yield from _section(title, str(command.help), command.params)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _command_lines(f"{title} {name}", inner)


def _section(title: str, text: str, parameters: Sequence[Any]) -> Iterator[str]:
    yield from (f"### `{title}`", "", " ".join(text.split()), "")
    named = [one for one in parameters if one.param_type_name == "option" and one.name != "help"]
    if named:
        yield from ("| option | default | meaning |", "|---|---|---|")
        yield from map(_row, named)
        yield ""


def _row(option: Any) -> str:
    """An option; a default that is said in brackets at the end of its help goes before it."""
    text, _, said = (option.help or "").removesuffix("]").rpartition(" [")
    if not text:
        text, said = option.help or "", ""
    default = "no" if getattr(option, "is_flag", False) else option.default
    shown = said or ("needed" if option.required else "" if default is None else str(default))
    return f"| `{option.opts[0]}` | {_cell(shown)} | {_cell(text)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _plugin_lines(title: str, group: PluginGroup, name: str) -> Iterator[str]:
    found = dict(plugins.load_all(group.entry_points))[name]
    yield from _declared_lines(title, found)


def _declared_lines(title: str, found: Declaration | plugins.Broken) -> Iterator[str]:
    if isinstance(found, plugins.Broken):
        yield from (f"## `{title}`", "", found.reason, "")
        return
    yield from (f"## `{title}`", "", found.summary, "")
    models: dict[str, type[BaseModel]] = {"Options": found.options}
    if isinstance(found, WorkDeclaration):
        models |= {"Output": OutputOptions}
    shown = options_command(found.name, "", models, lambda typed: None)
    named = [one for one in shown.params if one.name != "help"]
    if named:
        yield from ("| option | default | meaning |", "|---|---|---|")
        yield from map(_row, named)
        yield ""
    if isinstance(found, (BenchmarkDeclaration, WorkDeclaration)):
        for role in found.roles:
            warmth = "the provider's" if role.temperature is None else f"{role.temperature:g}"
            yield f"- role `{role.name}`: {role.summary} (temperature {warmth})"
    if isinstance(found, BenchmarkDeclaration):
        yield from (f"- grading `{one.name}`: {one.summary}" for one in found.gradings)
        yield from (f"- layout `{one.name}`" for one in found.layouts)
    yield ""


if __name__ == "__main__":
    settings = Path(sys.argv[1])
    settings.write_text(with_commands(settings.read_text("utf-8")), encoding="utf-8")
