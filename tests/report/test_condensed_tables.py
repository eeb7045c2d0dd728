from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from wardround.report.condensed_tables import condensed, shortened
from wardround.report.tables import ShownTable

RESULTS = ShownTable(
    "Results",
    ("Flow", "Grading", "k", "SR", "Cost"),
    (
        ("Incre", "paper", "1", "90.0 [80.0, 95.0]", "-"),
        ("Incre", "paper", "2", "90.0 [80.0, 95.0]", "-"),
        ("Incre", "strict", "1", "90.0 [80.0, 95.0]", "-"),
        ("Incre", "strict", "2", "90.0 [80.0, 95.0]", "-"),
        ("Adapt", "paper", "1", "50.0 [40.0, 60.0]", "-"),
    ),
    (False, False, True, True, True),
    "Percent.",
)


def with_rows(*rows: tuple[str, ...]) -> ShownTable:
    return replace(RESULTS, rows=rows)


def test_rows_that_differ_in_one_column_are_joined() -> None:
    assert shortened(RESULTS).rows == (
        ("Incre", "paper, strict", "1-2", "90.0 [80.0, 95.0]"),
        ("Adapt", "paper", "1", "50.0 [40.0, 60.0]"),
    )
    assert shortened(RESULTS).note == "Percent. A row with several names holds for each of them."


def test_joined_rows_name_all_that_they_join() -> None:
    rows = [("Incre", f"grading {n}", "1", "90.0", "-") for n in range(30)]
    [row] = shortened(with_rows(*rows)).rows
    names = ", ".join(f"grading {n}" for n in range(30))
    assert row == ("Incre", names, "1", "90.0")


def test_names_with_commas_are_joined_by_semicolons() -> None:
    rows = [("Incre", name, "1", "90.0", "-") for name in ("refused, wrong", "answered")]
    [row] = shortened(with_rows(*rows)).rows
    assert row[1] == "refused, wrong; answered"


def test_nonconsecutive_numbers_are_not_merged() -> None:
    rows = [("Incre", "paper", k, "90.0", "-") for k in ("1", "3")]
    assert [row[0] for row in shortened(with_rows(*rows)).rows] == ["1", "3"]


def test_constant_columns_go_to_the_note_and_missing_ones_disappear() -> None:
    rows = [("Incre", "paper", "1", "90.0", "-"), ("Adapt", "paper", "1", "50.0", "-")]
    short = shortened(with_rows(*rows))
    assert short.columns == ("Flow", "SR")
    assert short.note == "Percent. In all rows: Grading paper; k 1."


def test_a_single_row_keeps_its_columns() -> None:
    assert shortened(with_rows(RESULTS.rows[0])).columns == ("Flow", "Grading", "k", "SR")


def test_tables_of_text_or_one_column_are_kept() -> None:
    texts = ShownTable("Reasons", ("Task", "Reason"), (("a", "x"), ("b", "x")), (False, False))
    numbers = ShownTable("Numbers", ("k",), (("1",), ("2",)), (True,))
    assert (shortened(texts), shortened(numbers)) == (texts, numbers)


def test_empty_and_constant_tables_are_left_out_except_the_first() -> None:
    empty = replace(with_rows(("Incre", "paper", "0", "-", "-")), title="Empty")
    none = replace(with_rows(), title="None")
    constant = replace(with_rows(*RESULTS.rows[:4]), title="Constant")
    tables = {"first": constant, "empty": empty, "none": none, "again": constant, "last": RESULTS}
    informative, left_out = condensed(tables)
    assert list(informative) == ["first", "last"]
    assert left_out == ["Empty", "None", "Constant"]


CELLS = st.sampled_from(["1", "2", "3", "7.5", "-"])
ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), CELLS, CELLS, CELLS),
    unique=True,
    max_size=12,
)


@given(ROWS)
def test_condensed_table_keeps_every_figure(rows: list[tuple[str, ...]]) -> None:
    short = shortened(with_rows(*rows))
    text = " ".join([short.note, *(cell for row in short.rows for cell in row)])
    assert len(short.rows) <= len(rows)
    assert all("7.5" in text for row in rows if "7.5" in row)
