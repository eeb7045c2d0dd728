"""Parts of every chart: frame, text, axes and legends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

# Okabe and Ito's palette, distinguishable for colour-blind readers on light and dark; grey, indigo
# and yellow come last, for charts that need nine.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c8c8c",
    "#5b4fb3",
    "#d8c92f",
)
WIDTH = 460.0
LEFT = 52.0
RIGHT = 14.0

_LEGEND_LINE, _LETTER = 18.0, 7.0


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values to coordinates on the page."""

    ticks: tuple[float, ...]
    start: float
    end: float

    def coordinate(self, value: float) -> float:
        """The coordinate of a value."""
        low, high = self.ticks[0], self.ticks[-1]
        return round(self.start + (value - low) / (high - low) * (self.end - self.start), 1)


def picture(label: str, width: float, height: float, parts: Iterable[str]) -> str:
    """One `<svg>` element.

    Args:
        label: The text alternative for screen readers.
        width: Width in user units; pages scale it.
        height: Height in user units.
        parts: Elements in painting order.
    """
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'role="img" aria-label="{escape(label)}" font-family="system-ui, sans-serif" '
            'font-size="13" fill="currentColor">',
            *parts,
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


def ticks_from_zero(values: Sequence[float], label: str) -> tuple[float, ...]:
    """Ticks from zero; up to 100 if the label is a percentage."""
    highest = 100.0 if label.endswith("%") else max(values)
    return nice_ticks(min(0.0, *values), highest)


def legend(keys: Iterable[tuple[str, str]], width: float, left: float) -> tuple[list[str], float]:
    """The legend's elements, and the y coordinate below them.

    Args:
        keys: Each name with the SVG of its key, drawn in 26 by 10 units.
        width: Width of the drawing.
        left: The x coordinate of its left end.
    """
    elements: list[str] = []
    x, y = left, 14.0
    for name, key in keys:
        wide = 34 + length(name) + 16
        if x > left and x + wide > width:
            x, y = left, y + _LEGEND_LINE
        elements.append(f'<g transform="translate({x:g} {y - 9:g})">{key}</g>')
        elements.append(text(x + 32, y, name, anchor="start"))
        x += wide
    return elements, y + 16 if elements else 6.0


def length(name: str) -> float:
    """The approximate width of a text."""
    return _LETTER * len(name)


def colour(n: int) -> str:
    """The colour of series number `n`."""
    return COLOURS[n % len(COLOURS)]


def ink(n: int) -> str:
    """Black or white, whichever has more contrast with a series' colour (WCAG luminance)."""
    red, green, blue = (int(colour(n)[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return (
        "#000000"
        if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.2
        else "#ffffff"
    )


def text(x: float, y: float, words: str, *, anchor: str = "middle", more: str = "") -> str:
    """A `<text>` element; `more` are further attributes."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{escape(words)}</text>'
