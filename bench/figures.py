"""One measured figure, with what it was compared with in the same run."""

from typing import TypedDict


class Figure(TypedDict):
    """A line of `results.json`."""

    name: str
    value: float
    unit: str
    compared_with: str


def figure(name: str, value: float, unit: str, compared_with: str) -> Figure:
    """A figure, rounded to what a noisy machine can tell."""
    return {"name": name, "value": round(value, 3), "unit": unit, "compared_with": compared_with}
