"""Points of curves, and figures as tables."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias, TypeVar

from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares

Group = TypeVar("Group")
Points: TypeAlias = tuple[tuple[float, float], ...]


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
