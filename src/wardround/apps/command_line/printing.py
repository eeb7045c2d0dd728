"""Prints tables for people, or the same figures under the same names as JSON."""

from collections.abc import Iterable

import orjson
import typer
from rich.console import Console

from wardround.core.benchmark import Summary, Table
from wardround.report.tables import table_as_json, table_as_rich


def print_summary(summary: Summary, *, as_json: bool) -> None:
    """All tables of a summary."""
    if as_json:
        _print_json({name: table_as_json(table) for name, table in summary.tables.items()})
        return
    for table in summary.tables.values():
        _print_rich(table)


def print_table(table: Table, *, as_json: bool) -> None:
    """One table."""
    if as_json:
        _print_json(table_as_json(table))
    else:
        _print_rich(table)


def print_lines(lines: Iterable[str]) -> None:
    """Lines of plain text, as they are."""
    for line in lines:
        typer.echo(line)


def _print_json(value: object) -> None:
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _print_rich(table: Table) -> None:
    console = Console()
    console.print(table_as_rich(table))
    if table.note:
        console.print(table.note, markup=False, highlight=False)
