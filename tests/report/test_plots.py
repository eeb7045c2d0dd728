import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from wardround.core.benchmark import Curve, Summary
from wardround.core.errors import UserError
from wardround.report.plots import save_plots

SUMMARY = Summary({}, {"c": Curve("C", "k", "%", {"a": ((1.0, 2.0), (2.0, 4.0)), "empty": ()})})


def test_each_curve_is_a_file_of_each_format_and_the_same_bytes_again(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = save_plots(SUMMARY, tmp_path / "a"), save_plots(SUMMARY, tmp_path / "b")
    assert [path.name for path in first] == ["c.png", "c.svg"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert ET.parse(first[1]).getroot().tag.endswith("svg")  # noqa: S314 - our own drawing


def test_without_matplotlib_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"wardround\[plots\]"):
        save_plots(SUMMARY, tmp_path)
