"""Heat maps of task type by implicitness: of a run, of several, and over models (Figure 3, I.2)."""

from collections.abc import Sequence
from statistics import fmean, stdev

from wardround.benchmarks.assist.report.session_runs import SessionRun, is_explicit, language_of
from wardround.benchmarks.assist.report.turn_tables import (
    FIRST,
    SUBTYPES,
    SessionTrial,
    type_mean,
)
from wardround.benchmarks.assist.sessions import LANGUAGES, TASK_TYPES, Language
from wardround.benchmarks.kit.groups import ALL, Cell, grouped_by
from wardround.core.benchmark import Table
from wardround.core.figures import Cells

_FEWEST_TO_DEVIATE = 2
# The name of the column of means over models.
MEAN = "mean over models"


def run_heat_map(trials: Sequence[SessionTrial], grading: str) -> Cells:
    """Types of task by implicitness in one run."""
    columns = (FIRST, *SUBTYPES, ALL)
    rows = {
        f"{short} {name}": tuple(type_mean(trials, short, each, grading)[0] for each in columns)
        for short, name in TASK_TYPES.items()
    }
    return Cells("Types of task by implicitness", "Type", _label(grading), columns, rows)


def language_heat_map(runs: Sequence[SessionRun], language: Language, grading: str) -> Cells:
    """Types of task by implicitness, a column for each run in a language, and their mean."""
    spoken = [run for run in runs if language_of(run) == language]
    models = _by_system(runs, language)
    several = len(models) >= _FEWEST_TO_DEVIATE
    rows = {}
    for type in TASK_TYPES:
        for subtype in SUBTYPES:
            means = [type_mean(run.trials, type, subtype, grading)[0] for run in spoken]
            if any(mean is not None for mean in means):
                over = [_mean_over(models, type, subtype, grading)] if several else []
                rows[f"{type} {subtype}"] = (*means, *over)
    columns = (*(run.name for run in spoken), *([MEAN] if several else []))
    title = f"Types of task by implicitness, {language}"
    return Cells(title, "Turns", _label(grading), columns, rows)


def models_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """Each cell of the heat maps over models: mean, deviation and number of turns."""
    rows = tuple(
        (language, type, subtype, *cells)
        for language in LANGUAGES
        for models in [_by_system(runs, language)]
        for type in TASK_TYPES
        for subtype in (*SUBTYPES, ALL)
        if (cells := _over_models(models, type, subtype, grading))
    )
    columns = ("Language", "Type", "Subtype", "Models", "Turns", "Mean", "Deviation")
    note = (
        f"Percent, {grading}, implicit questions only; runs of one model count together. Turns are "
        "those of all models; the deviation is that of a sample."
    )
    return Table("Types of task by implicitness, over models", columns, rows, note)


def _by_system(runs: Sequence[SessionRun], language: Language) -> list[list[SessionTrial]]:
    """The sessions of each model's implicit runs in a language."""
    spoken = [run for run in runs if language_of(run) == language and not is_explicit(run)]
    groups = grouped_by(spoken, lambda run: run.system).values()
    return [[trial for run in group for trial in run.trials] for group in groups]


def _label(grading: str) -> str:
    return f"mean score of turns, {grading}, %"


def _mean_over(
    models: Sequence[Sequence[SessionTrial]], type: str, subtype: str, grading: str
) -> float | None:
    by_model = [type_mean(trials, type, subtype, grading)[0] for trials in models]
    means = [mean for mean in by_model if mean is not None]
    return round(fmean(means), 1) if means else None


def _over_models(
    models: Sequence[Sequence[SessionTrial]], type: str, subtype: str, grading: str
) -> tuple[Cell, ...]:
    by_model = [type_mean(trials, type, subtype, grading) for trials in models]
    means = [mean for mean, _ in by_model if mean is not None]
    if len(means) < _FEWEST_TO_DEVIATE:
        return ()
    turns = sum(number for _, number in by_model)
    return len(means), turns, round(fmean(means), 1), round(stdev(means), 1)
