"""A measured figure, with the baseline or goal that it is compared with."""

from typing import TypedDict


class Figure(TypedDict):
    """An entry of `results.json`."""

    name: str
    value: float
    unit: str
    compared_with: str


def figure(name: str, value: float, unit: str, compared_with: str) -> Figure:
    """Makes a figure with its value rounded to three decimals."""
    return {"name": name, "value": round(value, 3), "unit": unit, "compared_with": compared_with}
