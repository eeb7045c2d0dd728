"""The tools that the gold of each scenario uses (PhysAssistBench, Table D5)."""

from collections.abc import Iterator
from functools import cache

from wardround.benchmarks.assist.sessions import Scenario
from wardround.core.packaged_data import read_rows


@cache
def scenario_tools(scenario: Scenario) -> frozenset[str]:
    """The tools that the gold of a scenario uses (Table D5).

    >>> "CarePlan.search" in scenario_tools("med_safety")
    False
    """
    return frozenset(tool for tool, ticked in _cells(scenario) if ticked)


def _cells(scenario: Scenario) -> Iterator[tuple[str, bool]]:
    columns = ("diagnostic_workup", "discharge_planning", "med_safety", "treatment_response")
    for tool, *ticks in read_rows(__package__, "scenario_tools.tsv"):
        yield tool, ticks[columns.index(scenario)] == "yes"
