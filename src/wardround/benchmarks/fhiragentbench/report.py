"""FHIR-AgentBench's results: correctness, recall and precision, and how far graders agree."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from wardround.benchmarks.fhiragentbench.declaration import PAPER, STRICT
from wardround.benchmarks.fhiragentbench.scorer import FhirMeasures
from wardround.benchmarks.kit.groups import ALL, Cell, Trials, grouped_by, in_natural_order
from wardround.benchmarks.kit.measures import Measured, measured
from wardround.benchmarks.kit.tables import cost_table, outcome_table, percent, succeeded
from wardround.core.benchmark import Summary, Table

_UNDEFINED = "Percent of scored trials; recall and precision of those for which they are defined."


def summarize(trials: Trials) -> Summary:
    """The tables of a run."""
    each = measured(trials, FhirMeasures)
    tables = {
        "results": _results(each),
        "graders": _graders([one.measures for one in each]),
        "ends": _ends([one.measures for one in each]),
        "outcomes": outcome_table({ALL: list(trials)}, "Trials"),
        "cost": cost_table({ALL: list(trials)}, "Trials"),
    }
    return Summary({name: table for name, table in tables.items() if table.rows})


def _results(trials: Sequence[Measured[FhirMeasures]]) -> Table:
    groups = grouped_by(trials, lambda trial: trial.labels.get("types", ""))
    named = {name: groups[name] for name in in_natural_order(groups)} | {ALL: list(trials)}
    rows = tuple((name, *_cells(group)) for name, group in named.items() if group)
    columns = ("True resources", "Trials", STRICT, PAPER, "Recall", "Precision")
    return Table("Results by type of the true resources", columns, rows, _UNDEFINED)


def _cells(trials: Sequence[Measured[FhirMeasures]]) -> tuple[Cell, ...]:
    shares = (
        _mean(succeeded(trial.record, STRICT) for trial in trials),
        _mean(succeeded(trial.record, PAPER) for trial in trials),
        _mean(trial.measures.recall for trial in trials),
        _mean(trial.measures.precision for trial in trials),
    )
    return (len(trials), *shares)


def _graders(trials: Sequence[FhirMeasures]) -> Table:
    """The agreement of the comparison with the judge, and of the file with its SQL."""
    judged = [float(each.judged == each.compared) for each in trials if each.judged is not None]
    executed = [each.file_agrees for each in trials if each.file_agrees is not None]
    rows: list[tuple[Cell, ...]] = []
    if judged:
        rows.append(("comparison and judge", len(judged), _mean(judged)))
    if executed:
        rows.append(("the file's answer and its SQL", len(executed), _mean(executed)))
    return Table("Agreement", ("Between", "Trials", "Agree"), tuple(rows), "Percent of trials.")


def _ends(trials: Sequence[FhirMeasures]) -> Table:
    row = (
        len(trials),
        sum(each.answered for each in trials),
        sum(each.iteration_limit for each in trials),
        round(fmean(each.retrieved for each in trials), 1) if trials else None,
        sum(each.programs for each in trials),
        sum(each.failed_programs for each in trials),
    )
    columns = (
        "Trials", "Answered", "Iteration limit", "Retrieved a trial", "Programs", "Failed programs",
    )  # fmt: skip
    return Table("How trials went", columns, (row,) if trials else ())


def _mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return percent(fmean(defined)) if defined else None
