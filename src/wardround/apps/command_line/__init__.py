"""The command line: `wardround`, its commands, and how errors are told."""

from wardround.apps.command_line.main import main

__all__ = ["main"]
