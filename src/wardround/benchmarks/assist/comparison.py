"""Comparison of runs: by model, language, tier and scenario, and in pairs."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.benchmarks.assist.declaration import STRICT
from wardround.benchmarks.assist.report.heat_maps import language_heat_map, models_table
from wardround.benchmarks.assist.report.run_pairs import (
    explicit_models_table,
    explicit_table,
    failures_table,
    language_table,
)
from wardround.benchmarks.assist.report.session_runs import SessionRun, compared_runs, language_of
from wardround.benchmarks.assist.report.summary import (
    BOUNDS,
    SCORE_COLUMNS,
    TIERS,
    mean_score,
    score_cells,
    session_points,
)
from wardround.benchmarks.assist.report.turn_tables import (
    CONDUCT_COLUMNS,
    PATIENT_COLUMNS,
    conduct_cells,
    patient_cells,
)
from wardround.benchmarks.assist.scorer import GRADINGS
from wardround.benchmarks.assist.sessions import LANGUAGES, SCENARIOS
from wardround.benchmarks.kit.compared_runs import Settings
from wardround.benchmarks.kit.figures import table_of
from wardround.benchmarks.kit.groups import Cell, Trials
from wardround.benchmarks.kit.tables import filled
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve, Figure


def compare(runs: Sequence[tuple[Settings, Trials]], grading: str = STRICT) -> Summary:
    """The paper's tables over several runs (PhysAssistBench, 5.2 to 5.4 and I).

    Args:
        runs: the settings and trials of each run.
        grading: the grading of tables that do not show both.
    """
    compared = compared_runs(runs)
    maps = {
        f"types_{language}": language_heat_map(compared, language, grading)
        for language in LANGUAGES
    }
    maps = {name: each for name, each in maps.items() if each.rows}
    curves = {f"thresholds_{kind}": _threshold_curves(compared, kind, grading) for kind in "TS"}
    figures: dict[str, Figure] = {**maps, **(curves if compared else {})}
    tables = {
        "scores": _scores_table(compared),
        "groups": _graded(_groups_table(compared, grading), grading),
        **{name: table_of(each) for name, each in maps.items()},
        "types_over_models": models_table(compared, grading),
        "explicit": _graded(explicit_table(compared, grading), grading),
        "explicit_over_models": _graded(explicit_models_table(compared, grading), grading),
        "patient": _graded(_patient_table(compared, grading), grading),
        "languages": _graded(language_table(compared, grading), grading),
        "language_failures": _graded(failures_table(compared, grading), grading),
        "conduct": _conduct_table(compared),
        **{name: table_of(each) for name, each in curves.items()},
    }
    return Summary(filled(tables), figures)


def _graded(table: Table, grading: str) -> Table:
    """The table with its grading in its note."""
    return replace(table, note=f"{table.note} Grading: {grading}.".strip())


def _scores_table(runs: Sequence[SessionRun]) -> Table:
    rows = tuple(
        (run.name, language_of(run), grading, bound, *score_cells(run.trials, grading, bound))
        for run in runs
        for grading in GRADINGS
        for bound in BOUNDS
    )
    columns = ("Run", "Language", "Grading", "Bound", *SCORE_COLUMNS)
    return Table("Scores by run", columns, rows, "Percent.")


def _groups_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """The mean rubric score of each run in each tier and scenario."""
    groups = [("tier", name) for name in TIERS] + [("scenario", name) for name in SCENARIOS]
    rows = tuple(
        (run.name, language_of(run), *(_mean_score(run, grading, *group) for group in groups))
        for run in runs
    )
    named = (f"tier {name}" if label == "tier" else name for label, name in groups)
    note = "mRS in percent, undecided items failed. Tier 1 is sparse, 3 rich."
    return Table("Scores by run, tier and scenario", ("Run", "Language", *named), rows, note)


def _mean_score(run: SessionRun, grading: str, label: str, name: str) -> Cell:
    group = [trial for trial in run.trials if trial.labels.get(label) == name]
    return mean_score(group, grading)


def _patient_table(runs: Sequence[SessionRun], grading: str) -> Table:
    rows = tuple((run.name, language_of(run), *patient_cells(run.trials, grading)) for run in runs)
    note = "Mean score of turns in percent, undecided items failed; 95% intervals."
    columns = ("Run", "Language", *PATIENT_COLUMNS)
    return Table("Turns with and without the patient, by run", columns, rows, note)


def _conduct_table(runs: Sequence[SessionRun]) -> Table:
    rows = tuple((run.name, language_of(run), *conduct_cells(run.trials)) for run in runs)
    return Table("Conduct of the agent, by run", ("Run", "Language", *CONDUCT_COLUMNS), rows)


def _threshold_curves(runs: Sequence[SessionRun], kind: str, grading: str) -> Curve:
    """@T or @S of each run at every threshold (Figures of I)."""
    lines = {run.name: session_points(run.trials, grading, kind) for run in runs}
    things = {"T": "turns", "S": "sessions"}[kind]
    return Curve(f"@{kind} by threshold", "threshold", f"{things}, {grading}, %", lines)
