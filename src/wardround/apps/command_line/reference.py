"""Writes the options of commands and plug-ins into the documentation.

`python -m wardround.apps.command_line.reference docs/settings.md` updates the commands on the
settings page; with another page, such as `docs/benchmarks/NAME.md`, it updates the options of the
plug-in of that name.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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


INTRODUCTION = """
Made from the help of the commands. What a benchmark or an agent adds is in
`wardround COMMAND NAME --help` and on its own page.

"""
OPTIONS = """## Options

Made from the declarations. The options that all have are in [Settings]({settings}).

"""


def with_commands(page: str) -> str:
    """Replaces the section "Commands" of the settings page."""
    before, _, rest = page.partition("## Commands\n")
    _, heading, after = rest.partition("## RunSettings\n")
    return f"{before}## Commands\n{INTRODUCTION}{settings_page()}\n{heading}{after}"


def with_options(page: str, name: str, settings: str = "../settings.md") -> str:
    """Replaces the section "Options", the last of a plug-in's page; an empty page gets a title.

    Args:
        page: The page in Markdown.
        name: The plug-in's name.
        settings: Path from the page to the settings page.
    """
    before, _, _ = (page or f"# {name}\n").partition(OPTIONS.splitlines()[0] + "\n")
    options = "\n".join(plugin_options()[name]).rstrip()
    return f"{before.rstrip()}\n\n{OPTIONS.format(settings=settings)}{options}\n"


def settings_page() -> str:
    """All commands with their options, without those of plug-ins."""
    return "\n".join(_command_lines("wardround", typer.main.get_command(app)))


@cache
def plugin_options() -> dict[str, list[str]]:
    """Sections in Markdown for each installed name: its options by command, roles, gradings."""
    sections: dict[str, list[str]] = {}
    for title, group in _groups("wardround", typer.main.get_command(app)):
        for name in group.commands:
            sections.setdefault(name, []).extend(_plugin_lines(f"{title} {name}", group, name))
    for name, agent in plugins.load_all(plugins.AGENTS):
        command = f"wardround run NAME --agent {name}"
        sections.setdefault(name, []).extend(_declared_lines(command, agent))
    return sections


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
        common = _COMMON.get(str(command.name), WORK_OPTIONS)
        generic = options_command(
            "NAME", str(command.help), {"Options": common}, lambda typed: None
        )
        yield from _section(f"{title} {command.plugin}", str(command.help), generic.params)
        return
    yield from _section(title, str(command.help), command.params)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _command_lines(f"{title} {name}", inner)


def _section(title: str, text: str, parameters: Sequence[Any]) -> Iterator[str]:
    yield from (f"### `{title}`", "", " ".join(text.split()), "")
    options = [option for option in parameters if option.param_type_name == "option"]
    yield from _table(options)


def _table(parameters: Sequence[Any]) -> Iterator[str]:
    rows = [_row(parameter) for parameter in parameters if parameter.name != "help"]
    if rows:
        yield from ("| option | default | meaning |", "|---|---|---|", *rows, "")


def _row(option: Any) -> str:
    """The row of an option; a default in brackets at the end of its help has its own column."""
    text, _, described = (option.help or "").removesuffix("]").rpartition(" [")
    if not text:
        text, described = option.help or "", ""
    default = "no" if getattr(option, "is_flag", False) else option.default
    usual = "needed" if option.required else "" if default is None else str(default)
    value = described or usual
    return f"| `{option.opts[0]}` | {_cell(value)} | {_cell(text)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _plugin_lines(title: str, group: PluginGroup, name: str) -> Iterator[str]:
    installed = dict(plugins.load_all(group.entry_points))
    yield from _declared_lines(title, installed[name])


def _declared_lines(title: str, declared: Declaration | plugins.Broken) -> Iterator[str]:
    if isinstance(declared, plugins.Broken):
        yield from (f"### `{title}`", "", declared.reason, "")
        return
    yield from (f"### `{title}`", "", declared.summary, "")
    options: dict[str, Iterable[CommandOption]] = {"Options": options_of(declared.options)}
    if isinstance(declared, WorkDeclaration):
        options |= {"Output": OUTPUT_OPTIONS}
    command = options_command(declared.name, "", options, lambda typed: None)
    yield from _table(command.params)
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


def main(path: Path) -> None:
    """Updates the page at the path."""
    page = path.read_text("utf-8") if path.exists() else ""
    renewed = with_commands(page) if path.stem == "settings" else with_options(page, path.stem)
    path.write_text(renewed, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
