"""Normalized SQL by the cases of `softened.tsv`, and properties of any statement."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.scoring.sql_normalization import softened

_LINES = (Path(__file__).parent / "fixtures" / "softened.tsv").read_text("utf-8").splitlines()


def _cases() -> list[tuple[str, str]]:
    lines = [line.replace(r"\n", "\n").replace(r"\\", "\\") for line in _LINES]
    return [(sql, item) for sql, item in (line.split("\t") for line in lines if line[0] != "#")]


@for_each(_cases())
def test_normalized_sql_matches_the_file(sql: str, expected: str) -> None:
    result = softened(sql)
    assert " ".join(result.sql.split()) == (sql if expected == "=" else expected)
    assert softened(result.sql).sql == result.sql


@pytest.mark.parametrize(
    "sql",
    [
        "select distinct a frm frm t",
        "select distinct 'open",
        "select " + "round(" * 500 + "1" + ")" * 500,
        "select distinct " + "(" * 3000,
        "select distinct a; select distinct b",
        "select round(1",
        "create rule r as on insert to t do also select round(1.5, 1)",
        "explain select distinct a from t",
        "call p(round(1.5)) -- now",
        "refresh materialized view distinct_beds",
    ],
)
def test_unparsable_sql_is_kept_and_reported(sql: str, caplog: pytest.LogCaptureFixture) -> None:
    result = softened(sql)
    assert result.sql == sql
    assert result.problem.startswith("It is run as it is written")
    assert not caplog.records


def test_each_removal_is_independent() -> None:
    sql = "select distinct round(a) /* b */ from t"
    assert softened(sql, ("comments",)).sql == "select distinct round(a) from t"
    assert softened(sql, ("distinct",)).sql == "select round(a) /* b */ from t"
    assert softened(sql, ("round",)).sql == "select distinct (a) /* b */ from t"


_QUOTED = st.text(alphabet="ROUNDdistinct(), -/*'").map(lambda text: text.replace("'", "''"))


@given(quoted=_QUOTED, depth=st.integers(0, 5))
def test_quoted_text_is_unchanged(quoted: str, depth: int) -> None:
    nested = "round(" * depth + f"'{quoted}'" + ", 1)" * depth
    plain = "(" * depth + f"'{quoted}'" + ")" * depth
    assert softened(f"select distinct {nested}").sql == f"select {plain}"


@given(text=st.text(alphabet="select round(distinct) '\"$,;-/*1\n"))
def test_any_text_is_normalized_without_errors(text: str) -> None:
    assert isinstance(softened(text).sql, str)
