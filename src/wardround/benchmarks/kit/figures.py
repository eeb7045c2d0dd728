"""Figures of trials: points of curves, shares of actions, and figures as tables."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias, TypeVar

from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.scoring.statistics import correlation, ranks

Group = TypeVar("Group")
Points: TypeAlias = tuple[tuple[float, float], ...]

_FEWEST_TO_CORRELATE = 3


def mean_points(shares: Mapping[int, Sequence[float]]) -> Points:
    """Returns the points (x, mean share in percent), sorted by x.

    >>> mean_points({2: [1.0, 0.0], 1: [1.0]})
    ((1.0, 100.0), (2.0, 50.0))
    """
    return tuple(
        (float(x), percent(fmean(values))) for x, values in sorted(shares.items()) if values
    )


def table_of(figure: Figure) -> Table:
    """Converts a figure to a table: a row for each x, bar, part or row of cells.

    >>> table_of(Bars("T", "Ambiguity", "trials, %", ("join",), {"a": (40.0,)})).rows
    (('join', 40.0),)
    """
    match figure:
        case Curve(lines=lines, levels=levels):
            columns = (figure.x_label.capitalize(), *lines, *levels)
            return Table(figure.title, columns, tuple(_by_x(figure)), _note(figure.y_label))
        case Bars(things=names, series=series):
            rows = zip(names, *series.values(), strict=True)
            return _table(figure, tuple(series), tuple(rows))
        case Shares(wholes=names, parts=parts) | Cells(columns=names, rows=parts):
            return _table(figure, names, tuple((name, *cells) for name, cells in parts.items()))


def _table(
    figure: Bars | Shares | Cells, columns: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...]
) -> Table:
    return Table(figure.title, (figure.kind, *columns), rows, _note(figure.label))


def _by_x(curve: Curve) -> Iterator[tuple[Cell, ...]]:
    for x in sorted({x for line in curve.lines.values() for x, _ in line}):
        values = (dict(line).get(x) for line in curve.lines.values())
        yield (int(x) if x == int(x) else x, *values, *curve.levels.values())


def _note(label: str) -> str:
    return f"{label[:1].upper()}{label[1:]}."


# The names of each trial's actions, in order.
Actions: TypeAlias = Sequence[Sequence[str]]
# Turn number, number of trials that reach it, percent of each kind of action.
TurnRow: TypeAlias = tuple[int, int, *tuple[float, ...]]


def actions_taken(groups: Iterable[Actions], first: Collection[str]) -> list[str]:
    """Lists the actions that occur: those of `first` in its order, then the rest by name.

    >>> actions_taken([[["submit", "look"]], [["ask"]]], ["ask", "execute", "submit"])
    ['ask', 'submit', 'look']
    """
    names = {name for group in groups for trial in group for name in trial}
    return [name for name in first if name in names] + sorted(names.difference(first))


def times_taken(trials: Actions, action: str) -> int:
    """Counts the occurrences of an action."""
    return sum(trial.count(action) for trial in trials)


def action_share(trials: Actions, action: str) -> float:
    """Returns the share of an action among all actions, from 0 to 1; 0.0 without actions."""
    total = sum(map(len, trials))
    return times_taken(trials, action) / total if total else 0.0


def correlation_table(
    groups: Sequence[Actions], names: Iterable[str], passed: Sequence[float]
) -> Table:
    """Correlates each action's share with success over runs; no rows for fewer than three runs.

    Args:
        groups: each run's actions by trial.
        names: the actions.
        passed: the success of each run.
    """
    rows = tuple((name, *success_correlations(groups, name, passed)) for name in names)
    return Table(
        "Actions and success over runs",
        ("Action", "Pearson", "Spearman"),
        rows if len(groups) >= _FEWEST_TO_CORRELATE else (),
        f"Between an action's share and the success of first requests, over {len(groups)} runs.",
    )


def success_correlations(
    groups: Iterable[Actions], action: str, passed: Sequence[float]
) -> tuple[float | None, float | None]:
    """Computes Pearson's and Spearman's correlation of an action's share with success.

    Args:
        groups: the actions of each trial, or of the trials of each run.
        action: the action.
        passed: the success of each group.

    Returns:
        Both coefficients, rounded to 3 decimals; None where shares or success do not vary.
    """
    shares = [action_share(group, action) for group in groups]
    coefficients = correlation(shares, passed), correlation(ranks(shares), ranks(passed))
    pearson, spearman = (None if value is None else round(value, 3) for value in coefficients)
    return pearson, spearman


def share_figure(
    title: str, groups: Mapping[str, Actions], names: Iterable[str], notes: tuple[str, ...]
) -> Shares:
    """Makes a figure of each action's share in each group.

    Args:
        title: the figure's title.
        groups: actions by trial, by the group's name in the figure.
        names: the actions shown.
        notes: a note beside each group.
    """
    shares = {
        name: tuple(percent(action_share(group, name)) for group in groups.values())
        for name in names
    }
    return Shares(title, "Action", "share of actions, %", tuple(groups), shares, notes)


def value_bars(
    title: str,
    kind: str,
    names: Mapping[str, str],
    label: str,
    groups: Mapping[str, Group],
    figure: Callable[[Group, str], float | None],
) -> Bars:
    """Makes a bar chart with a bar for each group and value.

    Args:
        title: the figure's title.
        kind: the values' name, such as "Ambiguity".
        names: the values, with their names in the figure.
        label: the bars' label, with the unit.
        groups: trials by the group's name in the figure.
        figure: computes a bar's height from a group and a value.
    """
    series = {
        name: tuple(figure(group, value) for value in names) for name, group in groups.items()
    }
    return Bars(title, kind, label, tuple(names.values()), series)


def number_figure(title: str, groups: Mapping[str, Actions], names: Iterable[str]) -> Cells:
    """Makes a figure of the number of times each action occurs per trial."""
    rows = {
        name: tuple(round(times_taken(group, name) / len(group), 2) for group in groups.values())
        for name in names
    }
    return Cells(title, "Action", "times a trial", tuple(groups), rows)


def turn_rows(trials: Actions, kinds: Sequence[str]) -> list[TurnRow]:
    """Returns a row for each turn: its number, trials that reach it, percent of each kind.

    Args:
        trials: the kinds of each trial's actions.
        kinds: the kinds, in column order.

    >>> turn_rows([["ask", "submit"], ["submit"]], ["ask", "submit"])
    [(1, 2, 50.0, 50.0), (2, 1, 0.0, 100.0)]
    """
    rows: list[TurnRow] = []
    for turn in range(max(map(len, trials), default=0)):
        at_turn = [trial[turn] for trial in trials if len(trial) > turn]
        counts = Counter(at_turn)
        shares = (percent(counts[kind] / len(at_turn)) for kind in kinds)
        rows.append((turn + 1, len(at_turn), *shares))
    return rows


def turn_curve(title: str, rows: Sequence[TurnRow], kinds: Sequence[str]) -> Curve:
    """Makes a curve of the share of each kind at each turn, over the trials that reach it."""
    lines = {
        kind: tuple((float(turn), shares[column]) for turn, _, *shares in rows)
        for column, kind in enumerate(kinds)
        if any(shares[column] for _, _, *shares in rows)
    }
    return Curve(title, "turn", "trials that go on, %", lines)


def turn_table(
    title: str, rows: Iterable[tuple[Cell, ...]], kinds: Iterable[str], *columns: str
) -> Table:
    """Makes a table of actions by turn.

    Args:
        title: the table's title.
        rows: the cells of `columns`, followed by a row of `turn_rows`.
        kinds: the kinds of actions.
        columns: names of additional columns before the turn.
    """
    return Table(
        title,
        (*columns, "Turn", "Trials", *(kind.capitalize() for kind in kinds)),
        tuple(rows),
        "Percent of the trials that go on so long.",
    )
