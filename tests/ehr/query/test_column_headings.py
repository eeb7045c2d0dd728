"""Headings of columns in words, one query a line of the fixture file."""

from pathlib import Path

from tests.cases import for_each
from wardround.ehr.query.column_headings import column_headings

LINES = (Path(__file__).parent / "column_headings.tsv").read_text("utf-8").splitlines()


@for_each(LINES)
def test_a_column_is_headed_in_words(line: str) -> None:
    heading, sql = line.split("\t")
    assert column_headings(sql, ("given_name",), "sqlite") == (heading,)
