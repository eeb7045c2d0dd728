"""Runs the benchmarks, prints a table and writes `results.json` beside this file."""

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
    "authenticated_lines",
    "scripted_trials",
    "concurrent_trials",
    "similarity",
    "ingest",
    "ehrsql_preparation",
    "hospital",
    "googlesql_queries",
    "resets",
    "sandbox_overhead",
    "ehrsql_scoring",
    "ehrsql_parser",
    "ehrsql_hospital",
    "interact_trials",
    "interact_guard",
    "rubric_folds",
    "startup",
    "clinsql_checks",
    "fhir_record",
    "clinsql_mutants",
    "clinsql_judge",
    "assist_items",
)


RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Runs all parts, or the named ones, whose figures replace older ones in the results."""
    parts = sys.argv[1:] or PARTS
    before: list[Figure] = orjson.loads(RESULTS.read_bytes()) if sys.argv[1:] else []
    table = Table("figure", "value", "unit", "compared with")
    for part in parts:
        figures = import_module(f"bench.{part}").measure()
        for new in figures:
            row = (new["name"], f"{new['value']:g}", new["unit"], new["compared_with"])
            table.add_row(*row)
        before = _joined(before, figures)
        # Written after each part, since a later one may take an hour.
        RESULTS.write_bytes(orjson.dumps(before, option=orjson.OPT_INDENT_2) + b"\n")
    Console(width=140).print(table)


def _joined(before: list[Figure], figures: list[Figure]) -> list[Figure]:
    """Replaces figures of the same name in place, and appends new ones."""
    by_name = {figure["name"]: figure for figure in (*before, *figures)}
    return list(by_name.values())


main()
