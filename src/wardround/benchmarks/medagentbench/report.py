"""MedAgentBench's results: success by type, query and action; invalid messages and limits."""

from collections.abc import Sequence
from statistics import fmean

from wardround.benchmarks.kit.groups import ALL, Cell, Trials, grouped_by, in_natural_order
from wardround.benchmarks.kit.measures import Measured, measured
from wardround.benchmarks.kit.tables import (
    common_tables,
    filled,
    percent,
    succeeded,
)
from wardround.benchmarks.medagentbench.declaration import GRADINGS
from wardround.benchmarks.medagentbench.scorer import MedMeasures
from wardround.core.benchmark import Summary, Table


def summarize(trials: Trials) -> Summary:
    """The tables of a run (Jiang et al. 2025, Table 2), in percent of scored trials."""
    tables = {
        "success": _success("Success", trials, "kind", ALL),
        "types": _success("Success by type", trials, "type", ""),
        "ends": _ends(measured(trials, MedMeasures)),
        **common_tables(trials, GRADINGS),
    }
    return Summary(filled(tables))


def _success(title: str, trials: Trials, label: str, whole: str) -> Table:
    scored = [trial for trial in trials if trial.outcome.scored]
    groups = grouped_by(scored, lambda trial: trial.labels.get(label, ""))
    named = {name: groups[name] for name in in_natural_order(groups)}
    if whole:
        named[whole] = scored
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, len(group), *(percent(fmean(succeeded(t, g) for t in group)) for g in GRADINGS))
        for name, group in named.items()
        if group
    )
    columns = (label.capitalize(), "Trials", *GRADINGS)
    return Table(title, columns, rows, "Percent of scored trials.")


def _ends(trials: Sequence[Measured[MedMeasures]]) -> Table:
    counted = [each.measures for each in trials]
    row = (
        len(counted),
        sum(each.finished for each in counted),
        sum(each.round_limit for each in counted),
        sum(each.invalid for each in counted),
        sum(each.writes for each in counted),
        sum(each.refused for each in counted),
        sum(each.not_r4 for each in counted),
    )
    columns = (
        "Trials",
        "Finished",
        "Round limit",
        "Invalid messages",
        "Writes",
        "Refused",
        "Not R4",
    )
    return Table("How trials went", columns, (row,) if counted else ())
