"""Measures every figure, prints a table and writes `results.json` beside this file."""

import sys
from importlib import import_module
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from bench.figures import Figure

PARTS = (
    "loop",
    "isolated_agents",
    "scripted_trials",
    "concurrent_trials",
    "similarity",
    "ingest",
    "ehrsql_preparation",
    "hospital",
    "resets",
    "sandbox_overhead",
    "ehrsql_scoring",
    "ehrsql_parser",
    "ehrsql_hospital",
    "interact_trials",
    "interact_guard",
    "startup",
)


RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Runs all parts, or those that are named, whose figures take the place of older ones."""
    parts = sys.argv[1:] or PARTS
    before: list[Figure] = orjson.loads(RESULTS.read_bytes()) if sys.argv[1:] else []
    table = Table("figure", "value", "unit", "compared with")
    for part in parts:
        figures = import_module(f"bench.{part}").measure()
        for found in figures:
            row = (found["name"], f"{found['value']:g}", found["unit"], found["compared_with"])
            table.add_row(*row)
        before = _joined(before, figures)
        # A part may take an hour; what was measured before it is kept.
        RESULTS.write_bytes(orjson.dumps(before, option=orjson.OPT_INDENT_2) + b"\n")
    Console(width=140).print(table)


def _joined(before: list[Figure], figures: list[Figure]) -> list[Figure]:
    """Figures measured again stand where they stood, others at the end."""
    found = {each["name"]: each for each in before} | {each["name"]: each for each in figures}
    return list(found.values())


main()
