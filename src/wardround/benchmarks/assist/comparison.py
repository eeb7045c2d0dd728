"""Comparison of runs: by model and language, implicit beside explicit, English beside Chinese."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any, TypeAlias

from wardround.benchmarks.assist.declaration import STRICT
from wardround.benchmarks.assist.report import BOUNDS, score_cells, score_columns
from wardround.benchmarks.assist.scorer import GRADINGS, AssistMeasures
from wardround.benchmarks.assist.tasks import LANGUAGES, TASK_TYPES, TURNS
from wardround.benchmarks.assist.turn_tables import (
    SUBTYPES,
    SessionTrial,
    turns_of,
    type_mean,
)
from wardround.benchmarks.kit.figures import table_of
from wardround.benchmarks.kit.groups import ALL, Cell, Trials
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.benchmarks.kit.run_names import distinct_names, system
from wardround.benchmarks.kit.tables import figure_cells, figure_columns, percent
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Cells
from wardround.scoring.statistics import bootstrap_means

Settings: TypeAlias = Mapping[str, Any]
# Runs by name, each with its settings and sessions.
Named: TypeAlias = Mapping[str, tuple[Settings, Sequence[SessionTrial]]]
_FEWEST_TO_DEVIATE = 2


def compare(runs: Sequence[tuple[Settings, Trials]]) -> Summary:
    """The paper's tables over several runs (PhysAssistBench, 5.2 and 5.3)."""
    settings = [run for run, _ in runs]
    measured = [measured_in_bounds(trials, AssistMeasures) for _, trials in runs]
    named = dict(zip(names_of(settings), zip(settings, measured, strict=True), strict=True))
    figures = {f"types_{language}": _heat_map(named, language) for language in LANGUAGES}
    figures = {name: figure for name, figure in figures.items() if figure.rows}
    tables = {
        "scores": _scores_table(named),
        **{name: table_of(figure) for name, figure in figures.items()},
        "types_over_models": _deviation_table(named),
        "explicit": _explicit_table(named),
        "languages": _language_table(named),
    }
    return Summary({name: table for name, table in tables.items() if table.rows}, figures)


def names_of(runs: Sequence[Settings]) -> list[str]:
    """Names of runs: the system, with language, questions or seed where they differ.

    >>> of = {"agent": "tools", "models": {"agent": {"name": "openai:gpt-5"}}}
    >>> names_of([of | {"language": "en"}, of | {"language": "zh"}])
    ['tools gpt-5, en', 'tools gpt-5, zh']
    """
    details = [
        {
            "language": str(run.get("language", "")),
            "questions": "explicit" if run.get("explicit") else "implicit",
            "seed": f"seed {run['seed']}" if "seed" in run else "",
        }
        for run in runs
    ]
    return distinct_names([system(run) for run in runs], details)


def _scores_table(runs: Named) -> Table:
    rows = tuple(
        (name, str(settings.get("language", "")), grading, bound, len(trials), *cells)
        for name, (settings, trials) in runs.items()
        for grading in GRADINGS
        for bound in BOUNDS
        if trials
        for cells in [score_cells(trials, grading, bound)]
    )
    columns = ("Run", "Language", "Grading", "Bound", "Sessions", *score_columns())
    return Table("Scores by run", columns, rows, "Percent.")


def _heat_map(runs: Named, language: str) -> Cells:
    """Types of task by implicitness, a column for each run in a language."""
    spoken = {name: trials for name, (_, trials) in runs.items() if _language(trials) == language}
    rows = {
        f"{type} {subtype}": tuple(mean or 0.0 for mean, _ in cells)
        for type in TASK_TYPES
        for subtype in SUBTYPES
        for cells in [[type_mean(each, type, subtype, STRICT) for each in spoken.values()]]
        if cells and all(number for _, number in cells)
    }
    title = f"Types of task by implicitness, {language}"
    return Cells(title, "Turns", "mean score of turns, strict, %", tuple(spoken), rows)


def _deviation_table(runs: Named) -> Table:
    """Each cell of the heat map over models: mean, deviation and number of turns a model."""
    rows = tuple(
        (language, type, subtype, *cells)
        for language in LANGUAGES
        for type in TASK_TYPES
        for subtype in SUBTYPES
        if (cells := _over_models(runs, language, type, subtype))
    )
    columns = ("Language", "Type", "Subtype", "Models", "Turns", "Mean", "Deviation")
    return Table("Types of task by implicitness, over models", columns, rows, "Percent, strict.")


def _over_models(runs: Named, language: str, type: str, subtype: str) -> tuple[Cell, ...]:
    spoken = [trials for _, trials in runs.values() if _language(trials) == language]
    found = [type_mean(trials, type, subtype, STRICT) for trials in spoken]
    means = [mean for mean, _ in found if mean is not None]
    if len(means) < _FEWEST_TO_DEVIATE:
        return ()
    turns = max(number for _, number in found)
    return len(means), turns, round(fmean(means), 1), round(stdev(means), 1)


def _explicit_table(runs: Named) -> Table:
    """Implicit less explicit, paired by session, for each subtype (5.3)."""
    rows = tuple(
        (implicit, explicit, subtype, *cells)
        for implicit, explicit in _pairs(runs, "explicit")
        for subtype in (*SUBTYPES, ALL)
        if (cells := _difference(runs[implicit][1], runs[explicit][1], subtype))
    )
    columns = ("Implicit", "Explicit", "Subtype", "Turns", *figure_columns("Difference"))
    note = "Mean score of implicit less explicit turns, strict, percent; 95% intervals."
    return Table("Implicit and explicit questions", columns, rows, note)


def _language_table(runs: Named) -> Table:
    """The gap between languages, with calls short of gold and turns without an answer."""
    rows = tuple(
        (english, chinese, *_language_cells(runs[english][1], runs[chinese][1]))
        for english, chinese in _pairs(runs, "language")
    )
    columns = (
        "English", "Chinese", *figure_columns("zh less en"), "Too few calls, en",
        "Too few calls, zh", "No answer, en", "No answer, zh",
    )  # fmt: skip
    note = "Mean score of turns, strict, percent; turns with fewer calls than gold or no answer."
    return Table("Gap between languages", columns, rows, note)


def _language(trials: Sequence[SessionTrial]) -> str:
    return trials[0].measures.settings.language if trials else ""


def _pairs(runs: Named, option: str) -> Iterator[tuple[str, str]]:
    """Pairs of runs that differ in an option alone: implicit before explicit, en before zh."""
    options = ("language", "explicit")
    for first, second in combinations(runs, 2):
        left, right = (
            {"system": system(runs[name][0])} | {o: runs[name][0].get(o) for o in options}
            for name in (first, second)
        )
        if {key for key in left if left[key] != right[key]} == {option}:
            ordered = str(left[option] or "") < str(right[option] or "")
            yield (first, second) if ordered else (second, first)


def _difference(
    one: Sequence[SessionTrial], other: Sequence[SessionTrial], subtype: str
) -> tuple[Cell, ...]:
    """The number of paired turns, and the mean of one less the other with its interval."""
    left, right = _by_turn(one, subtype), _by_turn(other, subtype)
    paired = sorted(left.keys() & right.keys())
    if not paired:
        return ()
    differences = [left[key] - right[key] for key in paired]
    [interval] = bootstrap_means([[each] for each in differences])
    return (len(paired), *figure_cells(fmean(differences), interval))


def _by_turn(trials: Sequence[SessionTrial], subtype: str) -> dict[tuple[str, int], float]:
    """The mean score over trials of each turn of a subtype, by session and turn."""
    found: dict[tuple[str, int], list[float]] = {}
    for trial in trials:
        for number in range(1, TURNS):
            turn = trial.measures.turns[number]
            if subtype in (turn.subtype, ALL):
                found.setdefault((trial.record.task, number), []).append(float(turn.low(STRICT)))
    return {key: fmean(values) for key, values in found.items()}


def _language_cells(
    english: Sequence[SessionTrial], chinese: Sequence[SessionTrial]
) -> tuple[Cell, ...]:
    difference = _difference(chinese, english, ALL)[1:] or (None, None, None)
    few = [[t.calls < len(t.gold_tools) for t in turns_of(e)] for e in (english, chinese)]
    silent = [[not t.answered for t in turns_of(e)] for e in (english, chinese)]
    return (*difference, *(percent(fmean(each)) if each else None for each in (*few, *silent)))
