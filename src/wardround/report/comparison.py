"""Comparison of runs: their figures side by side, with the settings that differ."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wardround.core.benchmark import Summary, Table
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.run_reader import WITHOUT_EFFECT
from wardround.core.serialization import flattened
from wardround.report.html import ReportInput
from wardround.report.run_report import read_report

# The table's note says if runs are of different tasks; databases have places and digests.
_UNSHOWN = WITHOUT_EFFECT | {"tasks", "databases"}


def compare_runs(folders: Sequence[Path]) -> Summary:
    """Joins the first tables of the runs, and adds the benchmark's own comparison.

    Raises:
        UserError: There are fewer than two runs, one cannot be read, or they are of different
            benchmarks.
    """
    if len(folders) < 2:
        raise UserError("Name two runs or more to compare.")
    reports = [read_report(folder) for folder in folders]
    benchmarks = sorted({report.settings["benchmark"] for report in reports})
    if len(benchmarks) > 1:
        raise UserError(
            f"The runs are of different benchmarks ({', '.join(benchmarks)}) and cannot "
            "be compared; name runs of one benchmark."
        )
    names = differing([flattened(report.settings) for report in reports])
    compared = benchmark_class(benchmarks[0]).compare(
        [(report.settings, report.trials) for report in reports]
    )
    return Summary(
        {"compared": _table(folders, reports, names), **compared.tables}, compared.figures
    )


def differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The settings in which runs differ, in order of first occurrence.

    >>> differing([{"agent": "a", "seed": "1"}, {"agent": "b", "seed": "1"}])
    ['agent']
    """
    names = dict.fromkeys(name for run in settings for name in run)
    return [
        name
        for name in names
        if name.partition(".")[0] not in _UNSHOWN
        and len({str(run.get(name, "")) for run in settings}) > 1
    ]


def _table(folders: Sequence[Path], reports: Sequence[ReportInput], names: Sequence[str]) -> Table:
    firsts = [next(iter(report.summary.tables.values())) for report in reports]
    columns = dict.fromkeys(column for table in firsts for column in table.columns)
    rows: list[tuple[Any, ...]] = []
    for folder, report, table in zip(folders, reports, firsts, strict=True):
        settings = flattened(report.settings)
        cells_before = [str(folder), *(str(settings.get(name, "")) for name in names)]
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            rows.append((*cells_before, *(cells.get(column) for column in columns)))
    sentences = (firsts[0].note, _task_warning(reports), *_notices(folders, reports))
    note = " ".join(filter(None, sentences))
    return Table(firsts[0].title, ("Run", *names, *columns), tuple(rows), note)


def _notices(folders: Sequence[Path], reports: Sequence[ReportInput]) -> list[str]:
    """The notices of all runs; those that do not hold for all name their run."""
    notices = dict.fromkeys(notice for report in reports for notice in report.notices)
    return [
        notice
        if all(notice in report.notices for report in reports)
        else f"{', '.join(str(f) for f, r in pairs if notice in r.notices)}: {notice}"
        for notice in notices
        for pairs in [list(zip(folders, reports, strict=True))]
    ]


def _task_warning(reports: Sequence[ReportInput]) -> str:
    """A warning if the runs have different tasks, or ""."""
    tasks = [{trial.task for trial in report.trials} for report in reports]
    shared = set.intersection(*tasks)
    if all(ids == shared for ids in tasks):
        return ""
    counts = ", ".join(str(len(ids)) for ids in tasks)
    return f"The runs are of different tasks ({counts}), of which they share {len(shared)}."
