"""The options of commands and plug-ins as Markdown, for the documentation.

`python -m wardround.apps.command_line.reference NAME` prints the options of the plug-in NAME.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import typer.main
from typer.core import TyperGroup

from wardround.apps.command_line.common_options import (
    AUDIT_OPTIONS,
    OUTPUT_OPTIONS,
    RUN_OPTIONS,
    SESSION_OPTIONS,
    VALIDATE_OPTIONS,
    WORK_OPTIONS,
)
from wardround.apps.command_line.main import app
from wardround.apps.command_line.parameters import CommandOption, options_command, options_of
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.core import plugins
from wardround.core.declaration import BenchmarkDeclaration, Declaration, Role, WorkDeclaration

_COMMON = {
    "run": RUN_OPTIONS,
    "session": SESSION_OPTIONS,
    "audit": AUDIT_OPTIONS,
    "validate": VALIDATE_OPTIONS,
}

_SEVERAL = 3  # commands that explain an option alike

SHARED = """### Options of several commands

Each command below names those that it shares.
"""


class _Row(NamedTuple):
    """An option in a table."""

    name: str
    default: str
    meaning: str


class _Command(NamedTuple):
    """A command with its own options and those that it shares."""

    title: str
    text: str
    rows: tuple[_Row, ...]


def commands() -> str:
    """All commands with their options, without those of plug-ins.

    An option that several commands explain alike is in the first section only.
    """
    every = list(_commands("wardround", typer.main.get_command(app)))
    owners = Counter(row for command in every for row in command.rows)
    shared = [row for row, number in owners.items() if number >= _SEVERAL]
    lines = [SHARED, *_table(shared)]
    for command in every:
        lines += (f"### `{command.title}`", "", command.text, "")
        lines += _table(row for row in command.rows if row not in shared)
        if also := [f"`{row.name}`" for row in command.rows if row in shared]:
            lines += (f"Shared: {', '.join(also)}.", "")
    return "\n".join(lines)


@cache
def plugin_options() -> dict[str, list[str]]:
    """Lines in Markdown for each installed name: its options by command, roles, gradings.

    Commands with the same options share a heading.
    """
    pages: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for title, group in _groups("wardround", typer.main.get_command(app)):
        installed = dict(plugins.load_all(group.entry_points))
        for name in group.commands:
            lines = tuple(_declared_lines(installed[name]))
            pages.setdefault(name, {}).setdefault(lines, []).append(f"{title} {name}")
    for name, agent in plugins.load_all(plugins.AGENTS):
        lines = tuple(_declared_lines(agent))
        pages.setdefault(name, {})[lines] = [f"wardround run NAME --agent {name}"]
    return {name: list(_merged(sections)) for name, sections in pages.items()}


def _merged(sections: Mapping[tuple[str, ...], Sequence[str]]) -> Iterator[str]:
    for lines, titles in sections.items():
        yield from ("### " + ", ".join(f"`{title}`" for title in titles), "", *lines)


def _groups(title: str, command: Any) -> Iterator[tuple[str, PluginGroup]]:
    command = getattr(command, "loaded", command)
    if isinstance(command, PluginGroup):
        yield title, command
    elif isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _groups(f"{title} {name}", inner)


def _commands(title: str, command: Any) -> Iterator[_Command]:
    command = getattr(command, "loaded", command)
    text = " ".join(str(command.help).split())
    if isinstance(command, PluginGroup):
        common = _COMMON.get(str(command.name), WORK_OPTIONS)
        generic = options_command("NAME", text, {"Options": common}, lambda typed: None)
        yield _Command(f"{title} {command.plugin}", text, _options(generic.params))
        return
    yield _Command(title, text, _options(command.params))
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(f"{title} {name}", inner)


def _options(parameters: Sequence[Any]) -> tuple[_Row, ...]:
    return _rows([each for each in parameters if each.param_type_name == "option"])


def _rows(parameters: Sequence[Any]) -> tuple[_Row, ...]:
    """Arguments and options, without `--help`."""
    return tuple(_row(each) for each in parameters if each.name != "help")


def _row(option: Any) -> _Row:
    """An argument or option; a default in brackets at the end of its help has its own column."""
    text, _, described = (option.help or "").removesuffix("]").rpartition(" [")
    if not text:
        text, described = option.help or "", ""
    default = "no" if getattr(option, "is_flag", False) else option.default
    usual = "needed" if option.required else "" if default is None else str(default)
    return _Row(option.opts[0], described or usual, text)


def _table(rows: Iterable[_Row]) -> Iterator[str]:
    lines = [f"| `{row.name}` | {_cell(row.default)} | {_cell(row.meaning)} |" for row in rows]
    if lines:
        yield from ("| option | default | meaning |", "|---|---|---|", *lines, "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _declared_lines(declared: Declaration | plugins.Broken) -> Iterator[str]:
    if isinstance(declared, plugins.Broken):
        yield from (declared.reason, "")
        return
    yield from (declared.summary, "")
    options: dict[str, Iterable[CommandOption]] = {"Options": options_of(declared.options)}
    if isinstance(declared, WorkDeclaration):
        options |= {"Output": OUTPUT_OPTIONS}
    command = options_command(declared.name, "", options, lambda typed: None)
    yield from _table(_rows(command.params))
    if isinstance(declared, (BenchmarkDeclaration, WorkDeclaration)):
        agent = (declared.agent_role,) if isinstance(declared, BenchmarkDeclaration) else ()
        yield from map(_role_line, (*agent, *declared.roles))
    if isinstance(declared, BenchmarkDeclaration):
        yield from (
            f"- grading `{grading.name}`: {grading.summary}" for grading in declared.gradings
        )
        yield from (f"- layout `{layout.name}`" for layout in declared.layouts)
    yield ""


def _role_line(role: Role) -> str:
    temperature = "the provider's" if role.temperature is None else f"{role.temperature:g}"
    effort = f", reasoning effort {role.effort}" if role.effort else ""
    return f"- role `{role.name}`: {role.summary} (temperature {temperature}{effort})"


if __name__ == "__main__":
    print("\n".join(plugin_options()[sys.argv[1]]))
