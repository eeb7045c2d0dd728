"""Figures of trials: points of curves, shares of actions, and the table behind a figure."""

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
    """A line through the means of shares, in percent, by x in rising order.

    >>> mean_points({2: [1.0, 0.0], 1: [1.0]})
    ((1.0, 100.0), (2.0, 50.0))
    """
    return tuple((float(x), percent(fmean(found))) for x, found in sorted(shares.items()) if found)


def table_of(figure: Figure) -> Table:
    """The figures of a picture as a table: a row for each x, bar, part or row of cells.

    >>> table_of(Bars("T", "Ambiguity", "trials, %", ("join",), {"a": (40.0,)})).rows
    (('join', 40.0),)
    """
    match figure:
        case Curve(lines=lines, levels=levels):
            columns = (figure.x_label.capitalize(), *lines, *levels)
            return Table(figure.title, columns, tuple(_by_x(figure)), _note(figure.y_label))
        case Bars(things=things, series=series):
            rows = zip(things, *series.values(), strict=True)
            return _table(figure, tuple(series), tuple(rows))
        case Shares(wholes=names, parts=found) | Cells(columns=names, rows=found):
            return _table(figure, names, tuple((name, *each) for name, each in found.items()))


def _table(
    figure: Bars | Shares | Cells, columns: tuple[str, ...], rows: tuple[tuple[Cell, ...], ...]
) -> Table:
    return Table(figure.title, (figure.kind, *columns), rows, _note(figure.label))


def _by_x(curve: Curve) -> Iterator[tuple[Cell, ...]]:
    for x in sorted({x for line in curve.lines.values() for x, _ in line}):
        found = (dict(line).get(x) for line in curve.lines.values())
        yield (int(x) if x == int(x) else x, *found, *curve.levels.values())


def _note(label: str) -> str:
    return f"{label[:1].upper()}{label[1:]}."


# The names of each trial's actions, in the order in which they were taken.
Actions: TypeAlias = Sequence[Sequence[str]]
# A turn's number, the trials that reach it, and the percent of each kind of action.
TurnRow: TypeAlias = tuple[int, int, *tuple[float, ...]]


def actions_taken(groups: Iterable[Actions], first: Collection[str]) -> list[str]:
    """The actions that were taken: known ones in their order, then the others by name.

    >>> actions_taken([[["submit", "look"]], [["ask"]]], ["ask", "execute", "submit"])
    ['ask', 'submit', 'look']
    """
    found = {name for group in groups for trial in group for name in trial}
    return [name for name in first if name in found] + sorted(found.difference(first))


def times_taken(trials: Actions, action: str) -> int:
    """The number of times that an action was taken."""
    return sum(trial.count(action) for trial in trials)


def action_share(trials: Actions, action: str) -> float:
    """An action's share of all that were taken, from 0 to 1."""
    total = sum(map(len, trials))
    return times_taken(trials, action) / total if total else 0.0


def correlation_table(
    groups: Sequence[Actions], names: Iterable[str], passed: Sequence[float]
) -> Table:
    """Correlations over runs between an action's share and success; no row for fewer than three.

    Args:
        groups: the actions of the trials of each run.
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
    """Pearson's and Spearman's correlation of an action's share with success.

    Args:
        groups: the actions of each trial, or of the trials of each run.
        action: the action.
        passed: the success of each group.

    Returns:
        None for both without spread.
    """
    shares = [action_share(group, action) for group in groups]
    found = correlation(shares, passed), correlation(ranks(shares), ranks(passed))
    pearson, spearman = (None if value is None else round(value, 3) for value in found)
    return pearson, spearman


def share_figure(
    title: str, groups: Mapping[str, Actions], names: Iterable[str], notes: tuple[str, ...]
) -> Shares:
    """Each action's share of a group's actions.

    Args:
        title: the figure's title.
        groups: actions by the name that the figure gives their trials.
        names: the actions shown.
        notes: words beside each group.
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
    """Bars of each group for each value that its trials can have.

    Args:
        title: the figure's title.
        kind: what the values are.
        names: the figure's names of the values.
        label: what a bar is, with its unit.
        groups: trials by the name that the figure gives them.
        figure: the height of a bar, of a group and a value.
    """
    series = {
        name: tuple(figure(group, value) for value in names) for name, group in groups.items()
    }
    return Bars(title, kind, label, tuple(names.values()), series)


def number_figure(title: str, groups: Mapping[str, Actions], names: Iterable[str]) -> Cells:
    """The number of times each action is taken per trial."""
    rows = {
        name: tuple(round(times_taken(group, name) / len(group), 2) for group in groups.values())
        for name in names
    }
    return Cells(title, "Action", "times a trial", tuple(groups), rows)


def turn_rows(trials: Actions, kinds: Sequence[str]) -> list[TurnRow]:
    """Each turn with the number of trials that reach it and the percent of each kind.

    Args:
        trials: the kinds of each trial's actions.
        kinds: the kinds, in the order of the columns.

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
    """The shares of kinds of actions at each turn, over the trials that last so long."""
    lines = {
        kind: tuple((float(turn), shares[column]) for turn, _, *shares in rows)
        for column, kind in enumerate(kinds)
        if any(shares[column] for _, _, *shares in rows)
    }
    return Curve(title, "turn", "trials that go on, %", lines)


def turn_table(
    title: str, rows: Iterable[tuple[Cell, ...]], kinds: Iterable[str], *columns: str
) -> Table:
    """Actions by turn as a table.

    Args:
        title: the table's title.
        rows: `turn_rows`, each after the cells of the columns.
        kinds: the kinds of actions.
        columns: the names of the cells before the turn.
    """
    return Table(
        title,
        (*columns, "Turn", "Trials", *(kind.capitalize() for kind in kinds)),
        tuple(rows),
        "Percent of the trials that go on so long.",
    )
