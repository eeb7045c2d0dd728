import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wardround.core.figures import Bars, Cells, Figure, Shares
from wardround.report.svg import to_svg

SVG = "{http://www.w3.org/2000/svg}"
names = st.lists(st.text("ab<&\"'", min_size=1, max_size=40), min_size=1, max_size=9, unique=True)
percents = st.floats(0, 100).map(lambda x: round(x, 1))


@st.composite
def bars(draw: st.DrawFn) -> Bars:
    things, series = draw(names), draw(names)
    figures = st.tuples(*[st.none() | percents] * len(things))
    return Bars("<T>", "Kind", "done, %", tuple(things), {name: draw(figures) for name in series})


@st.composite
def cells(draw: st.DrawFn) -> Cells:
    columns, rows = draw(names), draw(names)
    figures = st.tuples(*[percents] * len(columns))
    return Cells("<T>", "Kind", "times", tuple(columns), {name: draw(figures) for name in rows})


def parsed(figure: Figure) -> ET.Element:
    return ET.fromstring(to_svg(figure))  # noqa: S314 - our own drawing


def boxes(picture: ET.Element) -> list[tuple[float, float, float, float]]:
    """The rectangles of a chart as (x, y, width, height), without those of the legend."""
    sides = ("x", "y", "width", "height")
    result = [
        [float(item.attrib[side]) for side in sides] for item in picture.findall(f"{SVG}rect")
    ]
    return [(x, y, width, height) for x, y, width, height in result]


def words(picture: ET.Element) -> list[str]:
    return [text.text or "" for text in picture.iter(f"{SVG}text")]


@given(bars() | cells())
def test_figures_stay_within_the_frame(figure: Bars | Cells) -> None:
    picture = parsed(figure)
    _, _, wide, high = map(float, picture.attrib["viewBox"].split())
    for x, y, width, height in boxes(picture):
        assert 0 <= x <= x + width <= wide + 0.1
        assert 0 <= y <= y + height <= high
    for text in picture.iter(f"{SVG}text"):
        assert 0 <= float(text.attrib["x"]) <= wide
        assert 0 <= float(text.attrib["y"]) <= high
    things = figure.things if isinstance(figure, Bars) else figure.rows
    assert set(things) <= set(words(picture))


@given(bars())
def test_bar_length_matches_its_figure(figure: Bars) -> None:
    result = [value for line in figure.series.values() for value in line if value is not None]
    lengths = [width for _, _, width, _ in boxes(parsed(figure))]
    assert len(lengths) == len(result)
    for value, length in zip(result, lengths, strict=True):
        assert abs(length - 3.2 * value) < 0.2


def test_bars_do_not_overlap() -> None:
    figure = Bars("T", "K", "%", ("a", "b"), dict.fromkeys("vwxyz", (50.0, 60.0)))
    tops = sorted((y, y + height) for _, y, _, height in boxes(parsed(figure)))
    assert all(end <= start for (_, end), (start, _) in pairwise(tops))


def test_stacked_parts_are_adjacent_and_small_parts_have_no_label() -> None:
    parts = {"ask": (60.0, 0.0), "execute": (37.0, 0.0), "submit": (3.0, 100.0)}
    picture = parsed(Shares("T", "Action", "share, %", ("w", "v"), parts, ("P1 4", "P1 5")))
    first, second, third, other = boxes(picture)
    assert first[0] + first[2] == second[0]
    assert second[0] + second[2] == third[0]
    assert third[0] + third[2] == other[0] + other[2]
    assert {"ask", "execute", "submit", "w", "v", "P1 4", "P1 5"} <= set(words(picture))
    assert "37" in words(picture)
    assert "3" not in words(picture)


def test_the_largest_cell_is_the_darkest() -> None:
    picture = parsed(Cells("T", "Action", "times", ("BI", "DM"), {"ask": (2.0, 1.0)}))
    shades = [float(item.attrib["fill-opacity"]) for item in picture.findall(f"{SVG}rect")]
    assert shades == [1.0, 0.5]


def test_one_series_needs_no_legend() -> None:
    picture = parsed(Bars("T", "K", "done, %", ("join",), {"first request": (40.0,)}))
    assert "first request" not in words(picture)
