"""Figures as picture files, drawn by matplotlib (the `plots` extra)."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.report.svg.parts import colour, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Format: TypeAlias = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")

_MANY = 3  # series, from which bars are thin
_FITS = 12  # letters below a column
_ACROSS = 72  # letters of a legend's line


def save_plots(summary: Summary, folder: Path, formats: Sequence[Format] = FORMATS) -> list[Path]:
    """Writes each figure to the folder under its name, a file a format.

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
        for name, figure in summary.figures.items():
            canvas = _drawn(figure)
            for ending in formats:
                written.append(folder / f"{name}.{ending}")
                canvas.savefig(written[-1], dpi=200, metadata=_UNDATED[ending])
    return written


_UNDATED = {"png": {"Software": None}, "svg": {"Date": None}}


def _drawn(figure: Figure) -> "Canvas":
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=_size(figure), layout="constrained")
    axes = canvas.subplots()
    axes.set_title(figure.title)
    axes.spines[["top", "right"]].set_visible(False)
    match figure:
        case Curve():
            _lines(axes, figure)
        case Bars():
            _bars(axes, figure)
        case Shares():
            _shares(axes, figure)
        case Cells():
            _cells(axes, figure)
    return canvas


def _size(figure: Figure) -> tuple[float, float]:
    """Width and height in inches: room for the names, and for what is drawn row by row."""
    match figure:
        case Curve():
            return 5, 3.4
        case Bars(things=things, series=series):
            return 3.8 + _long(things), 1.2 + len(things) * (0.1 + _thick(figure) * len(series))
        case Shares(wholes=wholes, parts=parts, beside=beside):
            height = 1.2 + 0.32 * len(wholes) + 0.11 * len(parts)
            return 3.6 + _long(wholes) + _long(beside), height
        case Cells(columns=columns, rows=rows):
            return 1 + _long(rows) + 0.8 * len(columns), 1 + 0.26 * len(rows) + _long(columns) / 2


def _long(names: Iterable[str]) -> float:
    return 0.065 * max(map(len, names), default=0)


def _thick(bars: Bars) -> float:
    """A bar's height in inches."""
    return 0.15 if len(bars.series) < _MANY else 0.1


def _lines(axes: "Axes", curve: Curve) -> None:
    for n, (name, line) in enumerate(curve.lines.items()):
        xs, ys = [x for x, _ in line], [y for _, y in line]
        axes.plot(xs, ys, marker="o", label=name, color=colour(n))
    for n, (name, level) in enumerate(curve.levels.items(), start=len(curve.lines)):
        axes.axhline(level, linestyle=":", label=name, color=colour(n))
    axes.set(xlabel=curve.x_label, ylabel=curve.y_label)
    if all(x == int(x) for line in curve.lines.values() for x, _ in line):
        axes.locator_params(axis="x", integer=True)
    axes.grid(alpha=0.2)
    if curve.y_label.endswith("%"):
        axes.set_ylim(-2, 102)
    if curve.lines:
        _legend_below(axes, [*curve.lines, *curve.levels])


def _bars(axes: "Axes", bars: Bars) -> None:
    each = 0.8 / len(bars.series)
    for n, (name, found) in enumerate(bars.series.items()):
        places = [place + each * (n + 0.5) - 0.4 for place in range(len(bars.things))]
        values = [float("nan") if value is None else value for value in found]
        drawn = axes.barh(places, values, each * 0.9, label=name, color=colour(n))
        axes.bar_label(
            drawn, ["" if v is None else f"{v:g}" for v in found], padding=2, size=50 * _thick(bars)
        )
    _things(axes, bars.things, bars.label)
    if len(bars.series) > 1:
        _legend_below(axes, bars.series)


def _shares(axes: "Axes", shares: Shares) -> None:
    starts = list(
        zip(*(accumulate(whole, initial=0.0) for whole in _by_whole(shares)), strict=True)
    )
    for n, (name, found) in enumerate(shares.parts.items()):
        drawn = axes.barh(
            range(len(found)), found, 0.75, left=starts[n], label=name, color=colour(n)
        )
        figures = [f"{share:.0f}" if share >= 7 else "" for share in found]
        axes.bar_label(drawn, figures, label_type="center", color=ink(n), size=7)
    for place, words in enumerate(shares.beside):
        axes.annotate(words, (101, place), va="center", size=7, annotation_clip=False)
    _things(axes, shares.wholes, shares.label)
    axes.set_xlim(0, 100)
    _legend_below(axes, shares.parts)


def _by_whole(shares: Shares) -> list[tuple[float, ...]]:
    return list(zip(*shares.parts.values(), strict=True))


def _cells(axes: "Axes", cells: Cells) -> None:
    rows = list(cells.rows.values())
    most = max((value for row in rows for value in row), default=0.0) or 1.0
    axes.imshow(rows, cmap="Blues", vmin=0, vmax=most, aspect="auto")
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            ink = "white" if value > 0.6 * most else "black"
            axes.text(x, y, f"{value:g}", ha="center", va="center", color=ink, size=7)
    long = max(map(len, cells.columns)) > _FITS
    turned: dict[str, Any] = {"rotation": 30, "ha": "right"} if long else {}
    axes.set_xticks(range(len(cells.columns)), cells.columns, **turned)
    axes.set_yticks(range(len(rows)), list(cells.rows))
    axes.set_xlabel(cells.label)


def _things(axes: "Axes", names: Sequence[str], label: str) -> None:
    """The first on top, as tables have it."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel(label)
    if label.endswith("%"):
        axes.set_xlim(0, 108)
    axes.grid(alpha=0.2, axis="x")
    axes.set_axisbelow(True)


def _legend_below(axes: "Axes", names: Iterable[str]) -> None:
    columns = max(1, int(_ACROSS / max(map(len, names))))
    axes.figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
