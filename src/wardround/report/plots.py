"""Curves as picture files, drawn by matplotlib (the `plots` extra)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from wardround.core.benchmark import Curve, Summary
from wardround.core.errors import UserError
from wardround.report.svg import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Format: TypeAlias = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")


def save_plots(summary: Summary, folder: Path, formats: Sequence[Format] = FORMATS) -> list[Path]:
    """Writes each curve to the folder under its name, a file a format.

    The same summary gives the same bytes.

    Raises:
        UserError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise UserError("Plots need matplotlib; install wardround[plots].") from None
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with mpl.rc_context({"svg.hashsalt": "wardround", "font.size": 9}):
        for name, curve in summary.curves.items():
            figure = _draw(curve)
            for ending in formats:
                written.append(folder / f"{name}.{ending}")
                figure.savefig(written[-1], dpi=200, metadata=_UNDATED[ending])
    return written


_UNDATED = {"png": {"Software": None}, "svg": {"Date": None}}


def _draw(curve: Curve) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.4), layout="constrained")
    axes = figure.subplots()
    for n, (name, line) in enumerate(curve.lines.items()):
        xs, ys = [x for x, _ in line], [y for _, y in line]
        axes.plot(xs, ys, marker="o", label=name, color=COLOURS[n % len(COLOURS)])
    axes.set(title=curve.title, xlabel=curve.x_label, ylabel=curve.y_label)
    axes.grid(alpha=0.2)
    axes.spines[["top", "right"]].set_visible(False)
    if curve.lines:
        axes.legend(frameon=False)
    return figure
