"""PhysAssistBench's results: mRS, @T and @S, types of task by implicitness, tools, conduct."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.assist.declaration import STRICT
from wardround.benchmarks.assist.report.heat_maps import run_heat_map
from wardround.benchmarks.assist.report.turn_tables import (
    SessionTrial,
    conduct_table,
    patient_table,
    tools_table,
    types_table,
    verdicts_table,
)
from wardround.benchmarks.assist.scorer import GRADINGS, AssistMeasures, TurnMeasures
from wardround.benchmarks.assist.sessions import SCENARIOS
from wardround.benchmarks.kit.figures import Points, table_of
from wardround.benchmarks.kit.groups import Cell, Trials, label_groups
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.tables import common_tables, filled, mean_percent
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve, Figure

Bound: TypeAlias = Callable[[TurnMeasures, str], Fraction]
BOUNDS: dict[str, Bound] = {"lower": TurnMeasures.low, "upper": TurnMeasures.high}
# The published thresholds, and those of the curves.
THRESHOLDS = (Fraction("0.60"), Fraction("0.75"))
SCORE_COLUMNS = (
    "Sessions",
    "With undecided items",
    "Items undecided",
    "mRS",
    *(f"@{kind}.{100 * t:.0f}" for t in map(float, THRESHOLDS) for kind in "TS"),
)
_STEPS = 20
TIERS = ("1", "2", "3")
_NOTE = (
    "Percent. Items undecided is the share of rubric items that nobody decides. mRS is the mean "
    "over sessions of their turns' mean score; @T is the share of turns, @S of sessions whose four "
    "turns all reach the threshold. Lower counts undecided items as failed, upper as passed; "
    "sessions with undecided items are counted."
)


def summarize(trials: Trials, grading: str = STRICT) -> Summary:
    """The paper's tables of a run (PhysAssistBench, 5.2 to 5.4 and I).

    Args:
        trials: its trials.
        grading: the grading of tables that do not show both.
    """
    scored = measured_in_bounds(trials, AssistMeasures)
    curves = threshold_curves(scored)
    tables = {
        "scores": scores_table("Scores by scenario", scored, "scenario", SCENARIOS),
        "tiers": scores_table("Scores by tier", scored, "tier", TIERS),
        "types": types_table(scored, grading),
        "patient": patient_table(scored),
        "tools": tools_table(scored),
        "conduct": conduct_table(scored),
        "verdicts": verdicts_table(scored),
        "thresholds": table_of(curves),
        **common_tables(trials, GRADINGS),
    }
    figures: dict[str, Figure] = {"types": run_heat_map(scored, grading), "thresholds": curves}
    return Summary(filled(tables), figures if scored else {})


def scores_table(
    title: str, trials: Sequence[SessionTrial], label: str, order: Iterable[str]
) -> Table:
    """MRS, @T and @S of each group of sessions, a row for each grading and bound."""
    rows = tuple(
        (name, grading, bound, *score_cells(group, grading, bound))
        for name, group in label_groups(trials, label, order).items()
        for grading in GRADINGS
        for bound in BOUNDS
        if group
    )
    columns = (label.capitalize(), "Grading", "Bound", *SCORE_COLUMNS)
    return Table(title, columns, rows, _NOTE)


def score_cells(trials: Sequence[SessionTrial], grading: str, bound: str) -> tuple[Cell, ...]:
    """The cells of `SCORE_COLUMNS`: sessions, undecided ones and items, mRS, @T and @S."""
    share = BOUNDS[bound]
    sessions = [[share(turn, grading) for turn in trial.measures.turns] for trial in trials]
    undecided = sum(
        any(turn.undecided[grading] for turn in trial.measures.turns) for trial in trials
    )
    mean = mean_score(trials, grading, bound)
    return (len(trials), undecided, _open(trials, grading), mean, *_at_thresholds(sessions))


def _open(trials: Sequence[SessionTrial], grading: str) -> Cell:
    """The share of items that are undecided, in percent."""
    turns = [turn for trial in trials for turn in trial.measures.turns]
    items = sum(turn.items for turn in turns)
    undecided = sum(turn.undecided[grading] for turn in turns)
    return round(100 * undecided / items, 1) if items else None


def mean_score(trials: Sequence[SessionTrial], grading: str, bound: str = "lower") -> Cell:
    """MRS in percent."""
    share = BOUNDS[bound]
    return mean_percent(
        fmean(share(turn, grading) for turn in trial.measures.turns) for trial in trials
    )


def threshold_curves(trials: Sequence[SessionTrial]) -> Curve:
    """@T and @S at every threshold (Figures of I)."""
    lines = {
        f"@{kind} {grading}": session_points(trials, grading, kind)
        for grading in GRADINGS
        for kind in _SHARES
    }
    return Curve("Thresholds", "threshold", "turns and sessions, %", lines)


def session_points(trials: Sequence[SessionTrial], grading: str, kind: str) -> Points:
    """@T or @S at every threshold, undecided items failed."""
    sessions = [[turn.low(grading) for turn in trial.measures.turns] for trial in trials]
    levels = [Fraction(step, _STEPS) for step in range(_STEPS + 1)]
    return tuple(
        (float(level), share)
        for level in levels
        if (share := _SHARES[kind](sessions, level)) is not None
    )


def _at_thresholds(sessions: Sequence[Sequence[Fraction]]) -> Iterator[float | None]:
    for threshold in THRESHOLDS:
        yield _turn_share(sessions, threshold)
        yield _session_share(sessions, threshold)


def _turn_share(sessions: Sequence[Sequence[Fraction]], threshold: Fraction) -> float | None:
    return mean_percent(float(share >= threshold) for shares in sessions for share in shares)


def _session_share(sessions: Sequence[Sequence[Fraction]], threshold: Fraction) -> float | None:
    return mean_percent(float(all(share >= threshold for share in shares)) for shares in sessions)


_SHARES = {"T": _turn_share, "S": _session_share}
