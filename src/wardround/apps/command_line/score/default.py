"""A group of commands whose first word may be left out: `score runs/x` is `score run runs/x`."""

from typing import Any

from typer.core import TyperGroup


class RunByDefault(TyperGroup):
    """Takes what names no command of the group for the argument of `run`."""

    default = "run"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the word in that was left out."""
        named = not args or args[0] in self.commands or args[0] in ctx.help_option_names
        return super().parse_args(ctx, args if named else [self.default, *args])
