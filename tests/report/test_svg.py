import xml.etree.ElementTree as ET
from itertools import pairwise
from math import isclose

from hypothesis import assume, given
from hypothesis import strategies as st

from wardround.core.figures import Curve
from wardround.report.svg.lines import line_chart
from wardround.report.svg.parts import nice_ticks

SVG = "{http://www.w3.org/2000/svg}"
numbers = st.floats(-1000, 1000).map(lambda x: round(x, 2))
lines = st.lists(st.tuples(numbers, numbers), max_size=6).map(tuple)


def parsed(curve: Curve) -> ET.Element:
    return ET.fromstring(line_chart(curve))  # noqa: S314 - our own drawing


@given(st.dictionaries(st.text("ab<&\"'", min_size=1, max_size=30), lines, max_size=7))
def test_curves_stay_within_the_frame(
    drawn: dict[str, tuple[tuple[float, float], ...]],
) -> None:
    picture = parsed(Curve("<T>", "x & y", '"y"', drawn))
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    points = picture.findall(f"{SVG}circle")
    assert len(points) == sum(map(len, set(drawn.values())))
    for point in points:
        assert 0 <= float(point.attrib["cx"]) <= width
        assert 0 <= float(point.attrib["cy"]) <= height
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    names = [name for text in texts if text for name in text.split(" = ")]
    assert {name for name, line in drawn.items() if line} <= set(names)
    assert bool(texts) is bool(points)


def test_points_are_ordered_by_value_and_position() -> None:
    picture = parsed(Curve("T", "k", "tasks, %", {"a": ((1, 10), (2, 60), (3, 90))}))
    points = picture.findall(f"{SVG}circle")
    places = [(float(p.attrib["cx"]), float(p.attrib["cy"])) for p in points]
    for (x, y), (next_x, next_y) in pairwise(places):
        assert next_x > x
        assert next_y < y


def test_percent_axis_ends_at_100_and_trial_axis_has_integers() -> None:
    picture = parsed(Curve("T", "k", "tasks, %", {"a": ((1, 10), (2, 20))}))
    texts = [text.text for text in picture.findall(f"{SVG}text")]
    assert "100" in texts
    assert "1.5" not in texts


@given(numbers, numbers)
def test_ticks_span_the_interval_in_even_steps(a: float, b: float) -> None:
    low, high = sorted((a, b))
    assume(high - low > 0.01 or high == low)
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low + 1e-6
    assert ticks[-1] >= high - 1e-6
    assert 2 <= len(ticks) <= 8
    steps = [after - tick for tick, after in pairwise(ticks)]
    assert all(isclose(step, steps[0], rel_tol=1e-6) for step in steps)
