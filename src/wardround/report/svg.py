"""A curve as an SVG line chart that stands by itself: axes, grid, lines, legend."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from wardround.core.benchmark import Curve

# Okabe and Ito's palette tells lines apart for colour-blind readers, on light and dark alike.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")

_WIDTH, _PLOT_HEIGHT = 460.0, 210.0
_LEFT, _RIGHT, _BOTTOM = 52.0, 14.0, 46.0
_LEGEND_LINE, _LETTER = 18.0, 7.0


@dataclass(frozen=True, slots=True)
class _Axis:
    """Maps values to places on the page."""

    ticks: tuple[float, ...]
    start: float
    end: float

    def place(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return round(self.start + (value - low) / (high - low) * (self.end - self.start), 1)


def line_chart(curve: Curve) -> str:
    """The curve as one `<svg>` element; text takes the colour of the page around it.

    Lines without points are in the legend only; a curve without any point says so.
    """
    legend, top = _legend(list(curve.lines))
    height = top + _PLOT_HEIGHT + _BOTTOM
    points = [point for line in curve.lines.values() for point in line]
    body = _plot(curve, points, top) if points else [_text(_WIDTH / 2, top + 90, "no data")]
    label = escape(f"{curve.title}: {curve.y_label} by {curve.x_label}")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
            f'role="img" aria-label="{label}" font-family="system-ui, sans-serif" '
            'font-size="13" fill="currentColor">',
            *legend,
            *body,
            "</svg>",
        ]
    )


def nice_ticks(
    low: float, high: float, most: int = 6, least_step: float = 0.0
) -> tuple[float, ...]:
    """Round values, at least two, that span an interval: steps of 1, 2 or 5 times a power of 10.

    >>> nice_ticks(0, 100), nice_ticks(1, 5)
    ((0.0, 20.0, 40.0, 60.0, 80.0, 100.0), (1.0, 2.0, 3.0, 4.0, 5.0))
    """
    span = (high - low) or 1.0
    power = 10.0 ** floor(log10(span / most))
    step = next(power * n for n in (1, 2, 5, 10) if span / (power * n) <= most - 1 or n == 10)
    step = max(step, least_step)
    first = floor(low / step + 1e-9)
    last = max(ceil(high / step - 1e-9), first + 1)
    return tuple(round(n * step, 10) for n in range(first, last + 1))


def _plot(curve: Curve, points: list[tuple[float, float]], top: float) -> list[str]:
    xs, ys = zip(*points, strict=True)
    whole = all(x == int(x) for x in xs)
    highest = 100.0 if curve.y_label.endswith("%") else max(ys)
    x_ticks = nice_ticks(min(xs), max(xs), 10, least_step=1.0 if whole else 0.0)
    across = _Axis(x_ticks, _LEFT, _WIDTH - _RIGHT)
    up = _Axis(nice_ticks(min(0.0, *ys), highest), top + _PLOT_HEIGHT, top)
    return [*_grid(across, up), *_labels(curve, top), *_lines(curve, across, up)]


def _grid(across: _Axis, up: _Axis) -> Iterator[str]:
    for tick in up.ticks:
        y = up.place(tick)
        yield (
            f'<path d="M{across.start:g} {y:g}H{across.end:g}" '
            'stroke="currentColor" stroke-opacity="0.15"/>'
        )
        yield _text(across.start - 8, y + 4, f"{tick:g}", anchor="end")
    for tick in across.ticks:
        yield _text(across.place(tick), up.start + 18, f"{tick:g}")


def _labels(curve: Curve, top: float) -> Iterator[str]:
    bottom = top + _PLOT_HEIGHT
    yield _text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 38, curve.x_label)
    middle = top + _PLOT_HEIGHT / 2
    yield _text(14, middle, curve.y_label, turn=f' transform="rotate(-90 14 {middle:g})"')


def _lines(curve: Curve, across: _Axis, up: _Axis) -> Iterator[str]:
    for n, (name, line) in enumerate(curve.lines.items()):
        places = [(across.place(x), up.place(y)) for x, y in line]
        path = "L".join(f"{x:g} {y:g}" for x, y in places)
        yield f'<path d="M{path}" fill="none" {_stroke(n)}/>' if path else ""
        yield from (
            f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{_colour(n)}">'
            f"<title>{escape(name)}: {value[1]:g} at {value[0]:g}</title></circle>"
            for (x, y), value in zip(places, line, strict=True)
        )


def _legend(names: Iterable[str]) -> tuple[list[str], float]:
    """The legend's elements, and where the plot may begin below them."""
    drawn: list[str] = []
    x, y = _LEFT, 14.0
    for n, name in enumerate(names):
        width = 34 + _LETTER * len(name) + 16
        if x > _LEFT and x + width > _WIDTH:
            x, y = _LEFT, y + _LEGEND_LINE
        drawn.append(f'<path d="M{x:g} {y - 4:g}h26" {_stroke(n)}/>')
        drawn.append(_text(x + 32, y, name, anchor="start"))
        x += width
    return drawn, y + 16


def _colour(n: int) -> str:
    return COLOURS[n % len(COLOURS)]


def _stroke(n: int) -> str:
    dash = DASHES[n % len(DASHES)]
    return f'stroke="{_colour(n)}" stroke-width="2" stroke-dasharray="{dash}"'


def _text(x: float, y: float, text: str, *, anchor: str = "middle", turn: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turn}>{escape(text)}</text>'
