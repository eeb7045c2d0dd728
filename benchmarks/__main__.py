"""Measures every figure, prints a table and writes `results.json` beside this file."""

import sys
from importlib import import_module
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure

PARTS = (
    "loop",
    "scripted_trials",
    "concurrent_trials",
    "similarity",
    "ingest",
    "ehrsql_preparation",
    "hospital",
    "resets",
    "sandbox_overhead",
)


def main() -> None:
    """Runs the parts named on the command line, or all."""
    figures: list[Figure] = []
    for part in sys.argv[1:] or PARTS:
        figures += import_module(f"benchmarks.{part}").measure()
    table = Table("figure", "value", "unit", "compared with")
    for found in figures:
        table.add_row(found["name"], f"{found['value']:g}", found["unit"], found["compared_with"])
    Console(width=140).print(table)
    if not sys.argv[1:]:
        path = Path(__file__).parent / "results.json"
        path.write_bytes(orjson.dumps(figures, option=orjson.OPT_INDENT_2) + b"\n")


main()
