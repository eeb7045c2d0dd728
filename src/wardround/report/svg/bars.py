"""Horizontal bar charts and heat maps as SVG. Bars are horizontal because names are long."""

from collections.abc import Iterable, Iterator
from html import escape

from wardround.core.figures import Bars, Cells, Shares
from wardround.report.svg.parts import (
    COLOURS,
    LEFT,
    RIGHT,
    Axis,
    colour,
    ink,
    legend,
    length,
    picture,
    text,
    ticks_from_zero,
)

_PLOT_WIDTH, _BOTTOM = 320.0, 46.0
_WHOLE, _GAP = 22.0, 8.0
_BAR, _THIN = 14.0, 10.0
_MANY = 3
_SEEN = 7.0  # percent; smaller parts have no room for their figure

_HIGH, _NARROW = 26.0, 62.0
_DARK = 0.55  # opacity above which figures are white


def bar_chart(bars: Bars) -> str:
    """Grouped bars, each with its number, as one `<svg>` element."""
    numbers = [value for values in bars.series.values() for value in values if value is not None]
    ticks = ticks_from_zero(numbers or [0.0, 1.0], bars.label)
    across = _across(bars.things, ticks)
    width = across.end + 40
    legend_elements, top = legend(_keys(bars.series if len(bars.series) > 1 else ()), width, LEFT)
    step = _thick(bars) * len(bars.series) + _GAP
    bottom = top + step * len(bars.things)
    body = [
        *_grid(across, top, bottom, bars.label),
        *_names(bars.things, across, top, step),
        *_bars(bars, across, top, step),
    ]
    return picture(
        f"{bars.title}: {bars.label}", width, bottom + _BOTTOM, [*legend_elements, *body]
    )


def share_chart(shares: Shares) -> str:
    """A stacked bar for each whole, as one `<svg>` element."""
    across = _across(shares.wholes, (0.0, 20.0, 40.0, 60.0, 80.0, 100.0))
    width = across.end + max(map(length, shares.beside), default=0.0) + 16 + RIGHT
    legend_elements, top = legend(_keys(shares.parts), width, LEFT)
    step = _WHOLE + _GAP
    bottom = top + step * len(shares.wholes)
    body = [
        *_grid(across, top, bottom, shares.label),
        *_names(shares.wholes, across, top, step),
        *_parts(shares, across, top, step),
        *(
            text(across.end + 8, top + step * (n + 0.5) + 4, words, anchor="start")
            for n, words in enumerate(shares.beside)
        ),
    ]
    return picture(
        f"{shares.title}: {shares.label}", width, bottom + _BOTTOM, [*legend_elements, *body]
    )


def _across(names: Iterable[str], ticks: tuple[float, ...]) -> Axis:
    start = max(LEFT, *map(length, names), 0.0) + 20
    return Axis(ticks, start, start + _PLOT_WIDTH)


def _keys(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    for n, name in enumerate(names):
        yield name, f'<rect x="12" width="14" height="10" fill="{colour(n)}"/>'


def _grid(across: Axis, top: float, bottom: float, label: str) -> Iterator[str]:
    for tick in across.ticks:
        x = across.coordinate(tick)
        yield (f'<path d="M{x:g} {top:g}V{bottom:g}" stroke="currentColor" stroke-opacity="0.15"/>')
        yield text(x, bottom + 18, f"{tick:g}")
    yield text((across.start + across.end) / 2, bottom + 38, label)


def _names(names: Iterable[str], across: Axis, top: float, step: float) -> Iterator[str]:
    for n, name in enumerate(names):
        yield text(across.start - 8, top + step * (n + 0.5) + 4, name, anchor="end")


def _bars(bars: Bars, across: Axis, top: float, step: float) -> Iterator[str]:
    thick = _thick(bars)
    small = f' font-size="{thick - 1:g}"'
    for n, (name, values) in enumerate(bars.series.items()):
        for row, (thing, value) in enumerate(zip(bars.things, values, strict=True)):
            if value is not None:
                y = top + step * row + _GAP / 2 + thick * n
                yield _bar(across, 0.0, value, y, thick - 2, n, f"{thing}, {name}")
                at = across.coordinate(value) + 5
                yield text(at, y + thick - 3, f"{value:g}", anchor="start", more=small)


def _thick(bars: Bars) -> float:
    return _THIN if len(bars.series) >= _MANY else _BAR


def _parts(shares: Shares, across: Axis, top: float, step: float) -> Iterator[str]:
    for row, whole_name in enumerate(shares.wholes):
        y, done = top + step * row + _GAP / 2, 0.0
        for n, (name, values) in enumerate(shares.parts.items()):
            share = values[row]
            if share > 0:
                yield _bar(across, done, done + share, y, _WHOLE, n, f"{whole_name}, {name}")
            if share >= _SEEN:
                middle = across.coordinate(done + share / 2)
                yield text(middle, y + 15, f"{share:.0f}", more=f' fill="{ink(n)}"')
            done += share


def _bar(across: Axis, low: float, high: float, y: float, height: float, n: int, label: str) -> str:
    left, right = across.coordinate(low), across.coordinate(high)
    return (
        f'<rect x="{left:g}" y="{y:g}" width="{right - left:g}" height="{height:g}" '
        f'fill="{colour(n)}"><title>{escape(label)}: {high - low:.3g}</title></rect>'
    )


def cell_chart(cells: Cells) -> str:
    """The cells as one `<svg>` element."""
    left = max(LEFT, *map(length, cells.rows), 0.0) + 20
    wide = max(_NARROW, *(length(name) + 8 for name in cells.columns))
    width = left + wide * len(cells.columns) + RIGHT
    top = 22.0
    bottom = top + _HIGH * len(cells.rows)
    body = [
        *(text(left + wide * (n + 0.5), 14, name) for n, name in enumerate(cells.columns)),
        *_rows(cells, left, top, wide),
        text((left + width - RIGHT) / 2, bottom + 20, cells.label),
    ]
    return picture(f"{cells.title}: {cells.label}", width, bottom + 30, body)


def _rows(cells: Cells, left: float, top: float, wide: float) -> Iterator[str]:
    most = max((value for row in cells.rows.values() for value in row if value), default=0.0) or 1.0
    for n, (name, row) in enumerate(cells.rows.items()):
        y = top + _HIGH * n
        yield text(left - 8, y + 17, name, anchor="end")
        for column, value in enumerate(row):
            if value is not None:
                yield _cell(left + wide * column, y, wide, value, value / most)


def _cell(x: float, y: float, wide: float, value: float, opacity: float) -> str:
    ink = ' fill="#ffffff"' if opacity > _DARK else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{wide - 2:g}" height="{_HIGH - 2:g}" '
        f'fill="{COLOURS[0]}" fill-opacity="{opacity:.2f}"/>'
        + text(x + wide / 2 - 1, y + 17, f"{value:g}", more=ink)
    )
