"""Commands whose modules are imported on use, completion or help."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import typer.main
from typer.core import TyperCommand, TyperGroup


class LazyCommand(TyperCommand):
    """A command of which only name and summary are known until it is used.

    Args:
        name: Its name.
        summary: Returns its line in the group's help.
        load: Imports and returns the command.
    """

    def __init__(self, name: str, summary: Callable[[], str], load: Callable[[], Any]) -> None:
        super().__init__(name, rich_markup_mode=None)
        self._summary = summary
        self._load = load

    @cached_property
    def loaded(self) -> Any:
        """The command itself."""
        return self._load()

    def get_short_help_str(self, limit: int = 45) -> str:
        """Its line in the group's help."""
        return self._summary()

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The loaded command's context, for parsing, completing and running it."""
        return self.loaded.make_context(info_name, args, parent=parent, **extra)


def lazy_group(commands: Mapping[str, tuple[str, str]]) -> type[TyperGroup]:
    """A group of commands that are imported one by one.

    Args:
        commands: By name, the `module:attribute` of a function or a `typer.Typer`, and its line
            of help.
    """

    class Group(TyperGroup):
        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = {
                name: LazyCommand(name, partial(str, line), partial(load_command, location, name))
                for name, (location, line) in commands.items()
            }

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Parses the group's own options only if one is typed."""
            return without_options(ctx, args) or super().parse_args(ctx, args)

    return Group


def without_options(ctx: Any, args: list[str]) -> list[str]:
    """Sets a group's context; skips the slow parsing of options if none are typed.

    Returns:
        The arguments of the command; empty if there are none, or options come first.
    """
    if len(args) < 2 or args[0].startswith("-"):
        return []
    ctx._protected_args, ctx.args = args[:1], args[1:]
    return args[1:]


def load_command(location: str, name: str) -> Any:
    """Imports the command at `module:attribute` and gives it a name."""
    module, _, attribute = location.partition(":")
    loaded = getattr(importlib.import_module(module), attribute)
    if isinstance(loaded, typer.Typer):
        command: Any = typer.main.get_command(loaded)
    elif callable(loaded) and not hasattr(loaded, "make_context"):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name)(loaded)
        command = typer.main.get_command(app)
    else:
        command = loaded
    command.name = name
    return command


class Commands(Mapping[str, Any]):
    """Commands by name; the names are read on first use."""

    def __init__(self, names: Callable[[], list[str]], make: Callable[[str], LazyCommand]) -> None:
        self._names = names
        self._make = make

    @cached_property
    def _commands(self) -> dict[str, LazyCommand]:
        return {name: self._make(name) for name in self._names()}

    def __getitem__(self, name: str) -> LazyCommand:
        return self._commands[name]

    def __iter__(self) -> Iterator[str]:
        """The names, in order."""
        return iter(self._commands)

    def __len__(self) -> int:
        """The number of commands."""
        return len(self._commands)
