"""Sheets keep their cells, and faults name line and column."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.sheets import read_sheet, write_sheet
from wardround.core.errors import UserError

CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])).map(str.strip)


@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_what_is_written_is_read(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    write_sheet(path, ("Item", "Met"), rows)
    read = [(row.cells["Item"], row.cells["Met"]) for row in read_sheet(path, ("Met", "Item"))]
    assert read == rows


def test_a_sheet_is_private_and_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, ("Item",), [("1",)])
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(UserError, match="exists already"):
        write_sheet(path, ("Item",), [])


@pytest.mark.parametrize(
    ("cell", "decision"), [("Yes", True), ("0", False), ("否", False), ("是", True), ("", None)]
)
def test_decisions_are_read(cell: str, decision: bool | None, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, ("Met",), [(cell or " ",)])
    assert read_sheet(path, ("Met",))[0].decision("Met") is decision


def test_faults_name_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, ("Item", "Met"), [("two\nlines", "yes"), ("a", "maybe")])
    last = read_sheet(path, ("Item", "Met"))[-1]
    with pytest.raises(UserError, match=r"line 4 \(row 3\), Met: 'maybe' is neither yes nor no"):
        last.decision("Met")
    with pytest.raises(UserError, match="lacks the column 'Person'"):
        read_sheet(path, ("Person",))
    with pytest.raises(UserError, match=r"cannot be read .*; check the path\."):
        read_sheet(tmp_path / "none.csv", ("Met",))


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_cells_are_separated_as_spreadsheet_programs_do(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"Item{delimiter}Met\na, b{delimiter}yes\n", encoding="utf-8")
    (row,) = read_sheet(path, ("Item", "Met"))
    assert row.cells == {"Item": "a, b", "Met": "yes"}


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, ("Item",), [("- potassium\n- sodium",), ("=1+1",)])
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert [row[0][:2] for row in csv.reader(file)][1:] == ["'-", "'="]


def test_long_cells_are_cut_where_excel_would_cut_them(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write_sheet(path, ("Item",), [("x" * 200_000,)])
    cell = read_sheet(path, ("Item",))[0].cells["Item"]
    assert len(cell) < 32_767
    assert cell.endswith("(200000 characters, cut here)")


def test_a_sheet_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes("Met\n是\n".encode("gb18030"))
    with pytest.raises(UserError, match="save it as CSV UTF-8"):
        read_sheet(path, ("Met",))


def test_a_cell_beyond_the_limit_of_csv_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("Met\n" + "x" * 200)
    before = csv.field_size_limit(100)  # of the whole process, which others may have raised
    try:
        with pytest.raises(UserError, match="cannot be read"):
            read_sheet(path, ("Met",))
    finally:
        csv.field_size_limit(before)
