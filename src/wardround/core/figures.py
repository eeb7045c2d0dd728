"""The figures of a summary as plain data: lines, bars, shares of wholes and cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines over a common axis.

    Attributes:
        lines: each line's points, (x, y), in order.
        levels: constant values, drawn across the whole width.
    """

    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, tuple[tuple[float, float], ...]]
    levels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bars:
    """Grouped bars.

    Attributes:
        kind: the kind of the things compared, such as "Ambiguity".
        label: the measure with its unit.
        things: names of the things, in order.
        series: the values of each series in the things' order; None if missing.
    """

    title: str
    kind: str
    label: str
    things: tuple[str, ...]
    series: Mapping[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class Shares:
    """Stacked bars: the composition of several wholes.

    Attributes:
        kind: the kind of the parts, such as "Action".
        label: the measure with its unit.
        wholes: names of the wholes, in order.
        parts: each part's share of the wholes, in their order and in percent.
        beside: a text next to each whole.
    """

    title: str
    kind: str
    label: str
    wholes: tuple[str, ...]
    parts: Mapping[str, tuple[float, ...]]
    beside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """A heat map; larger values are drawn darker.

    Attributes:
        kind: the kind of the rows, such as "Action".
        label: the measure with its unit.
        columns: names of the columns, in order.
        rows: the values of each row, in the columns' order; None if missing.
    """

    title: str
    kind: str
    label: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]


Figure: TypeAlias = Curve | Bars | Shares | Cells
