"""Plot files are the drawings of the HTML report."""

import xml.etree.ElementTree as ET
from pathlib import Path

from wardround.core.benchmark import Summary
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.report.svg import save_plots

LINES: dict[str, tuple[tuple[float, float], ...]] = {"a": ((1.0, 2.0), (2.0, 4.0)), "empty": ()}
FIGURES: dict[str, Figure] = {
    "lines": Curve("C", "k", "%", LINES, {"ideal": 50.0}),
    "bars": Bars("B", "Run", "%", ("one", "two"), {"a": (1.0, None), "b": (0.0, 3.0)}),
    "one": Bars("B", "Run", "%", ("one",), {"a": (1.0,)}),
    "many": Bars("B", "Run", "%", ("one",), dict.fromkeys("abcdef", (1.0,))),
    "shares": Shares("S", "Part", "%", ("w",), {"a": (60.0,), "b": (40.0,)}, ("P1 2",)),
    "cells": Cells("H", "Row", "n", ("a column of a long name", "b"), {"r": (0.0, 1.0)}),
}


def test_figures_are_written_reproducibly(tmp_path: Path) -> None:
    blank = Curve("Blank", "k", "%", {"a": ()})
    summary = Summary({}, {**FIGURES, "blank": blank})
    first, second = save_plots(summary, tmp_path / "a"), save_plots(summary, tmp_path / "b")
    assert [path.name for path in first] == [f"{name}.svg" for name in FIGURES]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    for path in first:
        assert ET.parse(path).getroot().tag.endswith("svg")  # noqa: S314 - our own drawing
