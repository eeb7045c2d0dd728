"""A heat map as SVG: the larger a cell's value, the darker."""

from collections.abc import Iterator

from wardround.core.figures import Cells
from wardround.report.svg.parts import COLOURS, LEFT, RIGHT, length, picture, text

_HIGH, _NARROW = 26.0, 62.0
_DARK = 0.55  # opacity above which figures are white


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
