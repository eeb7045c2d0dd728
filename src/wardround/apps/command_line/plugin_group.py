"""A group with a command for each plug-in of an entry-point group."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from typer.core import TyperGroup

from wardround.apps.command_line.lazy import Commands, LazyCommand, without_options
from wardround.core import plugins
from wardround.core.errors import UserError


class PluginGroup(TyperGroup):
    """Commands named after installed plug-ins, or by `module:attribute`.

    Args:
        name: The group's name.
        summary: Its purpose, in a line.
        plugin: The placeholder for a name in the help: `NAME`, `AGENT`.
        entry_points: The entry-point group.
        make: Returns the command of a name.
        fallback: Returns a command for a first word that is not a name; None refuses it.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        plugin: str,
        entry_points: str,
        make: Callable[[str], Any],
        fallback: Callable[[str], Any] | None = None,
    ) -> None:
        super().__init__(
            name=name,
            help=summary,
            no_args_is_help=True,
            rich_markup_mode=None,
            subcommand_metavar=f"{plugin} [OPTIONS]",
        )
        self.entry_points = entry_points
        self.plugin = plugin.partition("|")[0]
        self._make = make
        self._fallback = fallback
        self.commands = Commands(lambda: plugins.names(entry_points), self._command)  # type: ignore[assignment]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a plug-in, installed or named as `module:attribute`."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if ":" in cmd_name and not cmd_name.startswith("-"):
            return self._command(cmd_name)
        return self._fallback(cmd_name) if self._fallback and not cmd_name.startswith("-") else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command, or the fallback with all words as its arguments."""
        word = args[0]
        command = self.get_command(ctx, word)
        if command is None and not word.startswith("-") and not ctx.resilient_parsing:
            raise UserError(self._unknown(word))
        name, command, rest = super().resolve_command(ctx, args)
        is_plugin = word in self.commands or ":" in word
        return name, command, rest if is_plugin or command is None else list(args)

    def _unknown(self, word: str) -> str:
        near = get_close_matches(word, [*self.commands], 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        installed = ", ".join(self.commands) or "none"
        return f"There is no {word!r} for {self.name}; installed are: {installed}.{hint}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Accepts options before the name, too."""
        args = self._name_first(args)
        if args and args[0].startswith("-") and args[0] != "--help" and not ctx.resilient_parsing:
            raise UserError(f"No {self.plugin} is given; name one of {', '.join(self.commands)}.")
        return without_options(ctx, args) or super().parse_args(ctx, args)

    def _name_first(self, args: list[str]) -> list[str]:
        if not args or not args[0].startswith("-") or args[0] in ("--help", "--"):
            return args
        for at in range(1, len(args)):
            if args[at] in self.commands and not self._is_value(args[at], args[at - 1]):
                return [args[at], *args[:at], *args[at + 1 :]]
        # Move a misspelled name to the front as well, so that a correction is suggested.
        near = (word for word in args if get_close_matches(word, [*self.commands]))
        plain = (word for word in args if self._fallback and not word.startswith("-"))
        word = next(near, None) or next(plain, None)
        if word is None:
            return args
        return [word, *args[: args.index(word)], *args[args.index(word) + 1 :]]

    def _is_value(self, name: str, before: str) -> bool:
        """True if the word before a name is an option that takes a value."""
        if not before.startswith("--") or "=" in before:
            return False
        command: Any = self.commands[name]
        options = {word: option for option in command.loaded.params for word in option.opts}
        return before not in options or not options[before].is_flag

    def _command(self, name: str) -> LazyCommand:
        return LazyCommand(name, lambda: self._summary(name), lambda: self._make(name))

    @cached_property
    def _installed(self) -> dict[str, Any]:
        return dict(plugins.load_all(self.entry_points))

    def _summary(self, name: str) -> str:
        plugin = self._installed[name]
        return plugin.reason if isinstance(plugin, plugins.Broken) else plugin.summary
