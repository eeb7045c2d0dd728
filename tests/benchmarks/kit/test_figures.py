import pytest

from wardround.benchmarks.kit.figures import table_of
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares

LINES = {"a": ((0.0, 1.0), (3.0, 2.0)), "b": ((3.0, 4.0), (5.5, 8.0))}
CASES: list[tuple[Figure, tuple[str, ...], tuple[tuple[object, ...], ...]]] = [
    (
        Curve("T", "patience", "done, %", LINES, {"ideal": 9.0}),
        ("Patience", "a", "b", "ideal"),
        ((0, 1.0, None, 9.0), (3, 2.0, 4.0, 9.0), (5.5, None, 8.0, 9.0)),
    ),
    (
        Bars("T", "Run", "done, %", ("x", "y"), {"a": (1.0, None), "b": (2.0, 3.0)}),
        ("Run", "a", "b"),
        (("x", 1.0, 2.0), ("y", None, 3.0)),
    ),
    (
        Shares("T", "Action", "done, %", ("x", "y"), {"ask": (60.0, 10.0)}, ("", "")),
        ("Action", "x", "y"),
        (("ask", 60.0, 10.0),),
    ),
    (
        Cells("T", "Action", "done, %", ("x", "y"), {"ask": (0.5, 2.0)}),
        ("Action", "x", "y"),
        (("ask", 0.5, 2.0),),
    ),
]


@pytest.mark.parametrize(("figure", "columns", "rows"), CASES)
def test_figure_s_table_has_its_names_and_values(
    figure: Figure, columns: tuple[str, ...], rows: tuple[tuple[object, ...], ...]
) -> None:
    table = table_of(figure)
    assert (table.title, table.columns, table.rows) == ("T", columns, rows)
    assert table.note == "Done, %."
