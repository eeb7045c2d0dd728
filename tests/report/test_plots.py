import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.report.plots import FORMATS, save_plots

LINES: dict[str, tuple[tuple[float, float], ...]] = {"a": ((1.0, 2.0), (2.0, 4.0)), "empty": ()}
FIGURES: dict[str, Figure] = {
    "lines": Curve("C", "k", "%", LINES, {"ideal": 50.0}),
    "bars": Bars("B", "Run", "%", ("one", "two"), {"a": (1.0, None), "b": (0.0, 3.0)}),
    "one": Bars("B", "Run", "%", ("one",), {"a": (1.0,)}),
    "many": Bars("B", "Run", "%", ("one",), dict.fromkeys("abcdef", (1.0,))),
    "shares": Shares("S", "Part", "%", ("w",), {"a": (60.0,), "b": (40.0,)}, ("P1 2",)),
    "cells": Cells("H", "Row", "n", ("a column of a long name", "b"), {"r": (0.0, 0.0)}),
}
SUMMARY = Summary({}, FIGURES)


def test_each_figure_is_a_file_of_each_format_and_the_same_bytes_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = save_plots(SUMMARY, tmp_path / "a"), save_plots(SUMMARY, tmp_path / "b")
    assert [path.name for path in first] == [f"{n}.{end}" for n in FIGURES for end in FORMATS]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in first[::2])
    for path in first[1::2]:
        assert ET.parse(path).getroot().tag.endswith("svg")  # noqa: S314 - our own drawing


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"wardround\[plots\]"):
        save_plots(SUMMARY, tmp_path)
