"""Runs the benchmarks, prints a table and writes `results.json` beside this file."""

import os
import subprocess
from argparse import ArgumentParser
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table

from bench.figures import Figure, MeasuredFigure

PARTS = (
    "loop",
    "inspect_trials",
    "isolated_agents",
    "authenticated_lines",
    "scripted_trials",
    "concurrent_trials",
    "cluster_trials",
    "similarity",
    "ingest",
    "ehrsql_preparation",
    "hospital",
    "data_map",
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
    "assist_sessions",
    "report_times",
    "view_pages",
    "serve_load",
)


RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Runs all parts, or the named ones, whose figures replace older ones in the results."""
    parser = ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("part", nargs="*", metavar="PART", help=f"one of: {', '.join(PARTS)}")
    chosen: list[str] = parser.parse_args().part
    if unknown := sorted(set(chosen).difference(PARTS)):
        parser.error(f"there is no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    parts = chosen or PARTS
    before: list[MeasuredFigure] = orjson.loads(RESULTS.read_bytes()) if chosen else []
    table = Table("figure", "value", "unit", "compared with")
    for part in parts:
        figures = import_module(f"bench.{part}").measure()
        for new in figures:
            row = (new["name"], f"{new['value']:g}", new["unit"], new["compared_with"])
            table.add_row(*row)
        before = _joined(before, [_measured(each) for each in figures])
        # Written after each part, since a later one may take an hour.
        RESULTS.write_bytes(orjson.dumps(before, option=orjson.OPT_INDENT_2) + b"\n")
    Console(width=140).print(table)


def _measured(each: Figure) -> MeasuredFigure:
    """Adds the commit, the date and the machine's load over the last minute."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=RESULTS.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return {**each, "commit": commit, "measured_at": now, "load": round(os.getloadavg()[0], 1)}


def _joined(before: list[MeasuredFigure], figures: list[MeasuredFigure]) -> list[MeasuredFigure]:
    """Replaces figures of the same name in place, and appends new ones."""
    by_name = {figure["name"]: figure for figure in (*before, *figures)}
    return list(by_name.values())


main()
