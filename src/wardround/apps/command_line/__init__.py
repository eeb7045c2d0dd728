"""The command line: `wardround`, its commands, and its error messages."""

from wardround.apps.command_line.main import main

__all__ = ["main"]
