"""A curve as an SVG line chart."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TypeAlias

from wardround.core.figures import Curve
from wardround.report.svg.parts import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    colour,
    legend,
    nice_ticks,
    picture,
    text,
    ticks_from_zero,
)

DASHES = ("none", "7 3", "9 3 2 3")
DOTS = "2 3"

Points: TypeAlias = tuple[tuple[float, float], ...]

_PLOT_HEIGHT, _BOTTOM = 210.0, 46.0


def line_chart(curve: Curve) -> str:
    """The curve as one `<svg>` element.

    Lines with equal points are drawn as one, under both names. Lines without points are omitted.
    """
    curve = replace(curve, lines=_distinct(curve.lines))
    names = [*curve.lines, *curve.levels]
    keys = ((name, f'<path d="M0 5h26" {_stroke(n, curve)}/>') for n, name in enumerate(names))
    legend_elements, top = legend(keys, WIDTH, LEFT)
    points = [point for line in curve.lines.values() for point in line]
    body = _plot(curve, points, top) if points else []
    label = f"{curve.title}: {curve.y_label} by {curve.x_label}"
    return picture(label, WIDTH, top + _PLOT_HEIGHT + _BOTTOM, [*legend_elements, *body])


def _distinct(lines: Mapping[str, Points]) -> dict[str, Points]:
    """The lines with points; equal lines are joined under one name."""
    names: dict[Points, list[str]] = {}
    for name, points in lines.items():
        if points:
            names.setdefault(points, []).append(name)
    return {" = ".join(same): points for points, same in names.items()}


def _plot(curve: Curve, points: list[tuple[float, float]], top: float) -> list[str]:
    xs, ys = zip(*points, strict=True)
    whole = all(x == int(x) for x in xs)
    x_ticks = nice_ticks(min(xs), max(xs), 10, least_step=1.0 if whole else 0.0)
    y_ticks = ticks_from_zero([*ys, *curve.levels.values()], curve.y_label)
    across = Axis(x_ticks, LEFT, WIDTH - RIGHT)
    up = Axis(y_ticks, top + _PLOT_HEIGHT, top)
    return [
        *_grid(across, up),
        *_labels(curve, top),
        *_levels(curve, up),
        *_lines(curve, across, up),
    ]


def _grid(across: Axis, up: Axis) -> Iterator[str]:
    for tick in up.ticks:
        y = up.coordinate(tick)
        yield (
            f'<path d="M{across.start:g} {y:g}H{across.end:g}" '
            'stroke="currentColor" stroke-opacity="0.15"/>'
        )
        yield text(across.start - 8, y + 4, f"{tick:g}", anchor="end")
    for tick in across.ticks:
        yield text(across.coordinate(tick), up.start + 18, f"{tick:g}")


def _labels(curve: Curve, top: float) -> Iterator[str]:
    bottom = top + _PLOT_HEIGHT
    yield text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, curve.x_label)
    middle = top + _PLOT_HEIGHT / 2
    yield text(14, middle, curve.y_label, more=f' transform="rotate(-90 14 {middle:g})"')


def _levels(curve: Curve, up: Axis) -> Iterator[str]:
    for n, (name, value) in enumerate(curve.levels.items(), start=len(curve.lines)):
        yield (
            f'<path d="M{LEFT:g} {up.coordinate(value):g}H{WIDTH - RIGHT:g}" fill="none" '
            f"{_stroke(n, curve)}><title>{escape(name)}: {value:g}</title></path>"
        )


def _lines(curve: Curve, across: Axis, up: Axis) -> Iterator[str]:
    for n, (name, line) in enumerate(curve.lines.items()):
        points = [(across.coordinate(x), up.coordinate(y)) for x, y in line]
        path = "L".join(f"{x:g} {y:g}" for x, y in points)
        yield f'<path d="M{path}" fill="none" {_stroke(n, curve)}/>' if path else ""
        yield from (
            f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="{colour(n)}">'
            f"<title>{escape(name)}: {value[1]:g} at {value[0]:g}</title></circle>"
            for (x, y), value in zip(points, line, strict=True)
        )


def _stroke(n: int, curve: Curve) -> str:
    dash = DASHES[n % len(DASHES)] if n < len(curve.lines) else DOTS
    return f'stroke="{colour(n)}" stroke-width="2" stroke-dasharray="{dash}"'
