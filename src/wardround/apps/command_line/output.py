"""Prints tables for people, or the same figures under the same names as JSON."""

from typing import Any

import orjson
import typer

from wardround.core.benchmark import Summary, Table
from wardround.report.tables import summary_to_json, to_rich

WIDTH = 110


def print_summary(summary: Summary, *, as_json: bool, first: int | None = None) -> list[str]:
    """Prints the first tables of a summary, or all; as JSON all of them and the figures.

    Returns:
        The names of the tables that were left out.
    """
    if as_json:
        print_json(summary_to_json(summary))
        return []
    for table in list(summary.tables.values())[:first]:
        _print_rich(table)
    return list(summary.tables)[len(summary.tables) if first is None else first :]


def _print_rich(table: Table) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = WIDTH  # a file or a pipe has no width that a table should be cut to
    console.print(to_rich(table))


def print_json(value: dict[str, Any]) -> None:
    """Prints a value as JSON."""
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
