"""Splitting of texts into PostgreSQL statements, by the cases of `splitting.tsv`."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.ehr.database.postgres.statement_splitter import split_statements

_LINES = (Path(__file__).parent / "splitting.tsv").read_text("utf-8").splitlines()


@for_each([line for line in _LINES if not line.startswith("#")])
def test_texts_are_split_as_in_the_file(line: str) -> None:
    text, expected = (part.replace(r"\n", "\n").replace(r"\\", "\\") for part in line.split("\t"))
    assert split_statements(text) == [part for part in expected.split(" ;; ") if part]


_STATEMENTS = st.sampled_from(
    ["select 1", "select ';'", "do $$ begin null; end $$", 'select ";"', "values (';')"]
)


@given(statements=st.lists(_STATEMENTS), between=st.sampled_from([";", " ;\n", "; -- ;\n", ";;"]))
def test_joined_statements_are_split_again(statements: list[str], between: str) -> None:
    apart = split_statements(between.join(statements))
    assert [each.removeprefix("-- ;\n") for each in apart] == statements


@given(text=st.text(alphabet="'\"$;()/*-eE\\ a\n"))
def test_statements_are_pieces_of_their_text_in_order(text: str) -> None:
    parts = split_statements(text)
    at = 0
    for part in parts:
        at = text.index(part, at) + len(part)
    assert all(part.strip() for part in parts)
