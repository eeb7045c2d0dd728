import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.clinsql.items.result_files import (
    PLACEHOLDER,
    CsvTable,
    csv_table,
    read_csv,
    write_csv,
)
from wardround.core.errors import UserError

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1)


@st.composite
def tables(draw: st.DrawFn) -> CsvTable:
    width = draw(st.integers(1, 4))
    row = st.lists(st.none() | texts, min_size=width, max_size=width).map(tuple)
    return CsvTable(
        tuple(draw(st.lists(texts, min_size=width, max_size=width))),
        tuple(draw(st.lists(row, max_size=4))),
    )


@given(tables())
def test_reading_undoes_writing(table: CsvTable) -> None:
    assert read_csv(write_csv(table), "result.csv") == table


def test_a_query_without_rows_is_the_published_placeholder() -> None:
    assert csv_table(["n"], []) == PLACEHOLDER
    assert write_csv(PLACEHOLDER).strip() == 'result\n""'
    assert read_csv('result\n""', "result.csv").is_placeholder


@pytest.mark.parametrize(
    ("text", "message"), [("", "is empty"), ("a,b\n1\n", "row 2 has 1 cells and the header 2")]
)
def test_files_that_are_no_table_are_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_csv(text, "result.csv")
