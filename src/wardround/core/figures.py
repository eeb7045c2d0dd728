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
    """Bars of several things, side by side.

    Attributes:
        kind: what the things are, such as "Ambiguity".
        label: what a figure is, with its unit.
        things: their names, in order.
        series: the things' figures, in their order; None where there is none.
    """

    title: str
    kind: str
    label: str
    things: tuple[str, ...]
    series: Mapping[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class Shares:
    """The composition of several wholes.

    Attributes:
        kind: what the parts are, such as "Action".
        label: what a share is of, with its unit.
        wholes: their names, in order.
        parts: each part's share of the wholes in their order, in percent.
        beside: a text beside each whole.
    """

    title: str
    kind: str
    label: str
    wholes: tuple[str, ...]
    parts: Mapping[str, tuple[float, ...]]
    beside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """Figures by row and column; larger ones are drawn darker.

    Attributes:
        kind: what the rows are, such as "Action".
        label: what a figure is, with its unit.
        columns: their names, in order.
        rows: each row's figures, in the columns' order.
    """

    title: str
    kind: str
    label: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float, ...]]


Figure: TypeAlias = Curve | Bars | Shares | Cells
