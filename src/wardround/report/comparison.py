"""Comparison of runs: their figures side by side, with the settings that differ."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wardround.core.benchmark import Summary, Table
from wardround.core.capabilities import Comparer
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord, by_task
from wardround.core.run_reader import STARTED, WITHOUT_EFFECT
from wardround.core.serialization import flattened
from wardround.report.html import ReportInput
from wardround.report.run_report import read_report
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.paired import paired_difference

# The table's note says if runs are of different tasks; databases have places and digests.
_UNSHOWN = WITHOUT_EFFECT | {"tasks", "databases", STARTED}
# The agent under test; a difference in any other setting may explain a difference in success.
_COMPARED = ("agent", "models.agent.", "confinement.", "trials")


def compare_runs(folders: Sequence[Path]) -> Summary:
    """Joins the first tables of the runs, tests differences, and adds the benchmark's comparison.

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
    compared = _own_comparison(benchmarks[0], reports)
    joined, paired = _table(folders, reports, names), _paired(folders, reports, names)
    return Summary({"compared": joined, "paired": paired, **compared.tables}, compared.figures)


def _own_comparison(name: str, reports: Sequence[ReportInput]) -> Summary:
    """The tables and figures that the benchmark itself makes of several runs."""
    benchmark = benchmark_class(name)
    if not issubclass(benchmark, Comparer):
        return Summary({})
    return benchmark.compare([(report.settings, report.trials) for report in reports])


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


def setting_label(name: str) -> str:
    """A setting's name for readers; that of a role's model is the role.

    >>> setting_label("models.user.name"), setting_label("models.judge.temperature")
    ('user', 'judge temperature')
    """
    section, _, rest = name.partition(".")
    if section != "models":
        return name
    role, _, setting = rest.rpartition(".")
    return role if setting == "name" else f"{role} {setting}"


def setting_value(value: Any) -> str:
    """A setting's value for readers; "" for none.

    >>> setting_value(["a", "b"]), setting_value(False), setting_value(None), setting_value(0.5)
    ('a, b', 'no', '', '0.5')
    """
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(setting_value, value))
    return str(value)


def _table(folders: Sequence[Path], reports: Sequence[ReportInput], names: Sequence[str]) -> Table:
    firsts = [next(iter(report.summary.tables.values())) for report in reports]
    columns = dict.fromkeys(column for table in firsts for column in table.columns)
    labels = map(setting_label, names)
    rows: list[tuple[Any, ...]] = []
    for folder, report, table in zip(folders, reports, firsts, strict=True):
        settings = flattened(report.settings)
        cells_before = [str(folder), *(setting_value(settings.get(name)) for name in names)]
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            rows.append((*cells_before, *(cells.get(column) for column in columns)))
    sentences = (firsts[0].note, _task_warning(reports), *_notices(folders, reports))
    note = " ".join(filter(None, sentences))
    return Table(firsts[0].title, ("Run", *labels, *columns), tuple(rows), note)


def _paired(folders: Sequence[Path], reports: Sequence[ReportInput], names: Sequence[str]) -> Table:
    """Each run's success beside the first run's, over the tasks that both have."""
    base = tallies(reports[0].trials)
    rows: list[tuple[Any, ...]] = []
    for folder, report in zip(folders[1:], reports[1:], strict=True):
        other = tallies(report.trials)
        shared = [(base[task], other[task]) for task in base if task in other]
        if difference := paired_difference(shared):
            ends = (
                (difference.interval.low, difference.interval.high)
                if difference.interval
                else (None, None)
            )
            figures = (difference.first, difference.second, difference.difference, *ends)
            cells = [None if figure is None else round(100 * figure, 1) for figure in figures]
            p = None if difference.p is None else round(difference.p, 4)
            rows.append(
                (str(folder), str(folders[0]), difference.tasks, *cells, p, difference.test)
            )
    columns = "Run,Base,Tasks,Base success,Success,Difference,Difference low,Difference high,p,Test"
    note = "Percent of trials, meaned over the tasks that both runs have; the interval is a 95% "
    note += "paired bootstrap over tasks."
    note = f"{note} {other_differences(names)}".strip()
    return Table("Differences in success", tuple(columns.split(",")), tuple(rows), note)


def other_differences(names: Sequence[str]) -> str:
    """A sentence on settings that differ besides the agent under test; "" if there are none.

    >>> other_differences(["agent", "grading"])
    'The runs also differ in grading, which may explain a difference.'
    """
    others = [setting_label(name) for name in names if not name.startswith(_COMPARED)]
    if not others:
        return ""
    return f"The runs also differ in {', '.join(others)}, which may explain a difference."


def tallies(trials: Sequence[TrialRecord]) -> dict[str, Tally]:
    """Each task's scored and passed trials."""
    return {task: _tally(attempts) for task, attempts in by_task(trials).items()}


def _tally(trials: Sequence[TrialRecord]) -> Tally:
    outcomes = [trial.outcome for trial in trials if trial.outcome.scored]
    return Tally(len(outcomes), outcomes.count(Outcome.PASSED))


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
