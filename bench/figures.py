"""A measured figure, with the baseline or goal that it is compared with."""

from typing import TypedDict


class Figure(TypedDict):
    """A value, its unit, and the baseline or goal beside it."""

    name: str
    value: float
    unit: str
    compared_with: str


class MeasuredFigure(Figure, total=False):
    """A figure in `results.json`; figures from before these fields existed have none of them.

    Attributes:
        commit: the commit that was measured, with "-dirty" if files were changed.
        measured_at: UTC date and time.
        load: the machine's load average over the minute before.
    """

    commit: str
    measured_at: str
    load: float


def figure(name: str, value: float, unit: str, compared_with: str) -> Figure:
    """Makes a figure with its value rounded to three decimals."""
    return {"name": name, "value": round(value, 3), "unit": unit, "compared_with": compared_with}
