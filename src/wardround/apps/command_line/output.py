"""Prints tables as text, or the same figures under the same names as JSON."""

from typing import TYPE_CHECKING, Any

import orjson
import typer

from wardround.core.benchmark import Summary
from wardround.report.condensed_tables import condensed
from wardround.report.tables import ShownTable, formatted, summary_to_json
from wardround.report.terminal import renderables

if TYPE_CHECKING:
    from wardround.report.html import ReportInput

WIDTH = 110


def print_summary(
    summary: Summary, *, as_json: bool, first: int | None = None, whole: bool = False
) -> list[str]:
    """Prints the first or all tables of a summary; as JSON all tables and figures.

    Args:
        summary: The tables and figures.
        as_json: Print JSON instead of tables.
        first: The number of tables to print; None for all.
        whole: Print empty tables, equal rows and constant columns too.

    Returns:
        The names of the tables beyond `first`, which were not printed.
    """
    if as_json:
        print_json(summary_to_json(summary))
        return []
    texts = {name: formatted(table) for name, table in summary.tables.items()}
    tables, uninformative = (texts, []) if whole else condensed(texts)
    for table in list(tables.values())[:first]:
        _print_table(table)
    if uninformative and first is None:
        typer.echo(f"Empty, or the same in every row: {'; '.join(uninformative)}. Add --whole.")
    return list(tables)[len(tables) if first is None else first :]


def print_report(
    report: "ReportInput", *, first: int | None = None, whole: bool = False
) -> list[str]:
    """Prints a report's headline, its notices and its tables, as `print_summary` does."""
    from wardround.report.headline import headline

    typer.echo(headline(report.trials, report.settings["grading"]))
    for notice in report.notices:
        typer.echo(notice)
    return print_summary(report.summary, as_json=False, first=first, whole=whole)


def _print_table(table: ShownTable) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = WIDTH  # files and pipes have no width
    for part in renderables(table, console.width):
        console.print(part)


def print_json(value: dict[str, Any]) -> None:
    """Prints a value as JSON."""
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
