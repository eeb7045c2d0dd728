"""FHIR-AgentBench's results: recall, precision and correctness, with and without the judge."""

from collections.abc import Sequence
from statistics import fmean

from wardround.benchmarks.fhiragentbench.declaration import GRADINGS
from wardround.benchmarks.fhiragentbench.resource_scores import harmonic_mean
from wardround.benchmarks.fhiragentbench.scorer import FhirMeasures
from wardround.benchmarks.kit.groups import ALL, Cell, Trials, grouped_by
from wardround.benchmarks.kit.measures import Measured, measured
from wardround.benchmarks.kit.tables import common_tables, filled, mean_percent, percent
from wardround.core.benchmark import Summary, Table

FhirTrial = Measured[FhirMeasures]
_COLUMNS = ("Trials", "Recall", "Precision", "F1", "Right by program", "Right for judge", "Calls")


def summarize(trials: Trials) -> Summary:
    """The tables of a run."""
    scored = measured(trials, FhirMeasures)
    tables = {
        "results": _table("Results", "Questions", {ALL: scored}),
        "answers": _table("By whether there is an answer", "Answer", _by(scored, "answer")),
        "types": _table("By types of true resources", "Types", _by(scored, "types")),
        "agreement": _agreement(scored),
        **common_tables(trials, GRADINGS),
    }
    return Summary(filled(tables))


def _table(title: str, name: str, groups: dict[str, list[FhirTrial]]) -> Table:
    rows = tuple((group, *_cells(trials)) for group, trials in groups.items() if trials)
    note = (
        "Percent, means over the trials for which a figure is defined; F1 is the harmonic mean of "
        "mean precision and mean recall."
    )
    return Table(title, (name, *_COLUMNS), rows, note)


def _cells(trials: Sequence[FhirTrial]) -> tuple[Cell, ...]:
    measures = [trial.measures for trial in trials]
    return (
        len(measures),
        mean_percent(m.recall for m in measures),
        mean_percent(m.precision for m in measures),
        percent(harmonic_mean((m.precision for m in measures), (m.recall for m in measures))),
        mean_percent(m.by_program for m in measures),
        mean_percent(m.by_judge for m in measures),
        round(fmean(m.calls for m in measures), 1),
    )


def _agreement(trials: Sequence[FhirTrial]) -> Table:
    """The share of answers on which program and judge agree."""
    both = [
        trial.measures.by_program == trial.measures.by_judge
        for trial in trials
        if trial.measures.by_program is not None and trial.measures.by_judge is not None
    ]
    rows = ((len(both), percent(fmean(both))),) if both else ()
    return Table("Program and judge", ("Answers decided by both", "Agree, %"), rows)


def _by(trials: Sequence[FhirTrial], label: str) -> dict[str, list[FhirTrial]]:
    return dict(sorted(grouped_by(trials, lambda trial: trial.labels.get(label, "")).items()))
