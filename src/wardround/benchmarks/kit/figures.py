"""Points of curves, and the table behind a figure: the same figures under the same names."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares

Points: TypeAlias = tuple[tuple[float, float], ...]


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
