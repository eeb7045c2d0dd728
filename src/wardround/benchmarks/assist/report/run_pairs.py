"""Pairs of runs: implicit beside explicit questions (5.3), English beside Chinese (5.2)."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.assist.report.session_runs import SessionRun, language_of, pairs
from wardround.benchmarks.assist.report.turn_tables import SUBTYPES, SessionTrial, mean_difference
from wardround.benchmarks.assist.scorer import TurnMeasures
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.benchmarks.kit.groups import ALL, Cell, grouped_by
from wardround.benchmarks.kit.tables import figure_columns, percent
from wardround.core.benchmark import Table

# Both turns of each session, trial and place that two runs share.
TurnPair: TypeAlias = tuple[TurnMeasures, TurnMeasures]
_FEWEST_PAIRS = 2
_CONDUCT: dict[str, Callable[[TurnMeasures], bool]] = {
    "Too few calls": lambda turn: turn.calls < len(turn.gold_tools),
    "Refused": lambda turn: turn.declined,
    "No answer": lambda turn: not turn.answered,
}


def explicit_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """Implicit less explicit, paired by turn, for each subtype (5.3)."""
    rows = tuple(
        (implicit.name, explicit.name, subtype, *_score_cells(implicit, explicit, subtype, grading))
        for implicit, explicit in pairs(runs, "explicit")
        for subtype in (*SUBTYPES, ALL)
        if _paired(implicit.trials, explicit.trials, subtype)
    )
    columns = (
        "Implicit", "Explicit", "Subtype", "Turns", "Implicit mean", "Explicit mean",
        *figure_columns("Difference"),
    )  # fmt: skip
    note = (
        "Mean score of turns after the first in percent; implicit less explicit, with 95% "
        "intervals over sessions."
    )
    return Table("Implicit and explicit questions", columns, rows, note)


def explicit_models_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """The differences of `explicit_table` over pairs: their mean, and how many are negative."""
    rows = tuple(
        (language, subtype, *cells)
        for language in LANGUAGES
        for compared in [[p for p in pairs(runs, "explicit") if language_of(p[0]) == language]]
        for subtype in SUBTYPES
        if (cells := _over_pairs(compared, subtype, grading))
    )
    columns = ("Language", "Subtype", "Pairs of runs", "Mean difference", "Negative")
    return Table("Implicit and explicit questions, over models", columns, rows)


def language_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """The gap between languages, with calls short of gold, refusals, and missing answers."""
    rows = tuple(
        (
            english.name,
            chinese.name,
            *_score_cells(chinese, english, ALL, grading),
            *_conduct_cells(turns),
        )
        for english, chinese in pairs(runs, "language")
        if (turns := list(_all_pairs(english.trials, chinese.trials)))
    )
    conduct = (f"{name}, {language}" for name in _CONDUCT for language in ("en", "zh"))
    columns = (
        "English", "Chinese", "Turns", "zh mean", "en mean", *figure_columns("zh less en"), *conduct
    )  # fmt: skip
    note = (
        "Scores are means of turns after the first in percent, with 95% intervals over "
        "sessions. The last columns are percent of all turns: fewer calls than gold, no call and "
        "an answer that declines, and no answer."
    )
    return Table("Gap between languages", columns, rows, note)


def failures_table(runs: Sequence[SessionRun], grading: str) -> Table:
    """The turns that reach the threshold in one language only, and the failures of the other."""
    rows = tuple(
        (english.name, chinese.name, *cells)
        for english, chinese in pairs(runs, "language")
        for turns in [list(_all_pairs(english.trials, chinese.trials))]
        if turns
        for cells in _failure_rows(turns, _threshold(english), grading)
    )
    columns = (
        "English", "Chinese", "Passed in", "Failed in", "Turns", "Of all turns, %",
        "Skips calls of the other, %", "Refused, %", "No answer, %",
    )  # fmt: skip
    note = (
        "Turns that reach the threshold of sessions in one language only. Of these, the "
        "share in which the failing language leaves out a tool of the gold that the passing one "
        "calls, refuses where the other does not, or gives no answer."
    )
    return Table("Turns passed in one language only", columns, rows, note)


def _over_pairs(
    compared: Sequence[tuple[SessionRun, SessionRun]], subtype: str, grading: str
) -> tuple[Cell, ...]:
    cells = [_score_cells(*pair, subtype, grading)[3] for pair in compared]
    differences = [each for each in cells if isinstance(each, float)]
    if len(differences) < _FEWEST_PAIRS:
        return ()
    negative = sum(each < 0 for each in differences)
    return len(differences), round(fmean(differences), 1), negative


def _score_cells(
    one: SessionRun, other: SessionRun, subtype: str, grading: str
) -> tuple[Cell, ...]:
    """The number of paired turns, both means, and their difference with its interval."""
    by_session = _paired(one.trials, other.trials, subtype)
    sides = [
        [[float(pair[side].low(grading)) for pair in turns] for turns in by_session]
        for side in (0, 1)
    ]
    return (sum(map(len, by_session)), *mean_difference(*sides))


def _paired(
    one: Sequence[SessionTrial], other: Sequence[SessionTrial], subtype: str
) -> list[list[TurnPair]]:
    """The paired turns of a subtype, session by session."""
    sessions = grouped_by(_session_pairs(one, other), lambda pair: pair[0].record.task).values()
    by_session = (
        [turns for each in session for turns in _turn_pairs(*each) if _is_of(turns[0], subtype)]
        for session in sessions
    )
    return [turns for turns in by_session if turns]


def _is_of(turn: TurnMeasures, subtype: str) -> bool:
    return turn.subtype is not None and subtype in (turn.subtype, ALL)


def _session_pairs(
    one: Sequence[SessionTrial], other: Sequence[SessionTrial]
) -> Iterator[tuple[SessionTrial, SessionTrial]]:
    """The sessions of two runs with the same task and trial."""
    by_key = {trial.record.key: trial for trial in other}
    return ((trial, by_key[trial.record.key]) for trial in one if trial.record.key in by_key)


def _turn_pairs(one: SessionTrial, other: SessionTrial) -> Iterator[TurnPair]:
    return zip(one.measures.turns, other.measures.turns, strict=True)


def _all_pairs(one: Sequence[SessionTrial], other: Sequence[SessionTrial]) -> Iterator[TurnPair]:
    return (turns for each in _session_pairs(one, other) for turns in _turn_pairs(*each))


def _conduct_cells(turns: Sequence[TurnPair]) -> Iterator[Cell]:
    for holds in _CONDUCT.values():
        yield from (percent(fmean(holds(pair[side]) for pair in turns)) for side in (0, 1))


def _threshold(run: SessionRun) -> Fraction:
    return Fraction(run.trials[0].measures.settings.threshold)


def _failure_rows(
    turns: Sequence[TurnPair], threshold: Fraction, grading: str
) -> Iterator[tuple[Cell, ...]]:
    """A row for each direction: passed in Chinese only, passed in English only."""
    directions = (("zh", "en", turns), ("en", "zh", [(zh, en) for en, zh in turns]))
    for passing, failing, pairs_of in directions:
        failures = [
            (failed, passed)
            for failed, passed in pairs_of
            if failed.low(grading) < threshold <= passed.low(grading)
        ]
        share = percent(len(failures) / len(turns))
        yield (passing, failing, len(failures), share, *_causes(failures))


def _causes(failures: Sequence[TurnPair]) -> tuple[Cell, ...]:
    if not failures:
        return (None, None, None)
    causes = (
        [_skips_calls(failed, passed) for failed, passed in failures],
        [failed.declined and not passed.declined for failed, passed in failures],
        [not failed.answered for failed, _ in failures],
    )
    return tuple(percent(fmean(each)) for each in causes)


def _skips_calls(failed: TurnMeasures, passed: TurnMeasures) -> bool:
    """True if the passing turn calls a tool of the gold that the failing one leaves out."""
    return bool(set(passed.tools) & set(passed.gold_tools) - set(failed.tools))
