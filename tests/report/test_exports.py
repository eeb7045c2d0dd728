"""Tables as CSV and LaTeX."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.report.exports import only_table, to_csv, to_latex

cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12) | st.integers()


@given(st.lists(st.tuples(cells, cells), max_size=5))
def test_csv_reads_back(rows: list[tuple[str | int, str | int]]) -> None:
    table = Table("T", ("a, b", 'c "d"'), tuple(rows))
    read = list(csv.reader(io.StringIO(to_csv(table), newline="")))
    assert read == [list(table.columns), *([str(cell) for cell in row] for row in rows)]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_latex_has_no_bare_special_letter(text: str) -> None:
    [line] = [
        line
        for line in to_latex(Table("T", ("x",), (("[" + text + "]",),)), "t").splitlines()
        if "[" in line
    ]
    bare = re.sub(r"\\(?:[&%$#_{}]|text\w+\{\})", "", line).removesuffix(r" \\")
    assert not set(bare) & set("\\&%$#_{}~^")


def test_latex_puts_intervals_beside_figures() -> None:
    table = Table("T", ("Flow", "SR", "SR low", "SR high"), (("all", 73.3, 65.1, 80.2),))
    assert "all & 73.3 [65.1, 80.2] \\\\" in to_latex(table, "t")


def test_an_unknown_table_is_refused_with_those_there_are() -> None:
    with pytest.raises(UserError, match="no table 'nope'; the tables are scores, cost"):
        only_table(Summary({"scores": Table("S", (), ()), "cost": Table("C", (), ())}), "nope")
