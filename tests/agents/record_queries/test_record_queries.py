"""A language model's queries over kinds of record: made runnable, read back, and checked."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from tests.agents.record_queries.small_ward import write_ward
from tests.cases import for_each
from wardround.agents.parser.grammar.grammar import Grammar, grammar_of
from wardround.agents.record_queries.form_reading import read_form
from wardround.agents.record_queries.sql_reading import query_words, read_query, runnable
from wardround.agents.record_queries.word_check import words_left_out
from wardround.core.errors import ToolError
from wardround.ehr.database import Database, open_database
from wardround.ehr.query import to_sql, to_words
from wardround.ehr.records import Views, records_of, view

HERE = Path(__file__).parent


def cases(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Views, Grammar]]:
    folder = tmp_path_factory.mktemp("ward")
    path, map_path = write_ward(folder)
    with closing(open_database(path)) as database:
        records = records_of(database, map_path)
        sql = {kind: view(records, kind, "duckdb") for kind in records.kinds}
        columns = {kind: records.columns(kind) for kind in records.kinds}
        views = Views("duckdb", sql, columns, records.written)
        yield database, views, grammar_of(records, database)


@for_each(cases("queries.tsv"))
def test_a_query_in_words_has_every_clause(sql: str, words: str) -> None:
    tree = parse_one(sql, read="duckdb")
    assert isinstance(tree, exp.Query)
    assert " ".join(query_words(tree, "duckdb")) == words


@pytest.mark.parametrize("sql", [case[0] for case in cases("queries.tsv")])
def test_a_query_over_kinds_runs(sql: str, ward: tuple[Database, Views, Grammar]) -> None:
    database, views, _ = ward
    database.execute(runnable(read_query(sql, views), views))


@pytest.mark.parametrize(("question", "sql", "expected"), cases("left_out.tsv"))
def test_words_that_a_query_leaves_out_are_named(
    question: str, sql: str, expected: str, ward: tuple[Database, Views, Grammar]
) -> None:
    _, views, grammar = ward
    reading, items = grammar.tagged(question)
    assert ", ".join(words_left_out(items, reading, read_query(sql, views), views)) == expected


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT 1 FROM orders", "There is no table orders; the tables are admission, drug, lab"),
        ("SELECT 1 FROM other.drug", "There is no table other.drug"),
        ("DROP TABLE drug", "Give one SELECT statement"),
        ("SELECT 1; SELECT 2", "Give one SELECT statement"),
        ("SELECT FROM WHERE (", "This is not SQL for duckdb"),
        ("", "Give one SELECT statement"),
    ],
)
def test_another_statement_is_refused(
    sql: str, problem: str, ward: tuple[Database, Views, Grammar]
) -> None:
    with pytest.raises(ToolError, match=problem):
        read_query(sql, ward[1])


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT COUNT(DISTINCT d.patient) FROM drug d JOIN patient p ON p.patient = d.patient "
            "WHERE d.name IN ('Heparin', 'Insulin') AND p.sex = 'f'",
            "Count of patients. Female. Prescribed 'Heparin' or 'Insulin'.",
        ),
        ("SELECT COUNT(*) FROM lab WHERE value > 4", "Count of lab tests. Lab > 4."),
        ("SELECT AVG(value) FROM lab", "Average value of lab tests. Lab."),
        ("SELECT COUNT(*) FROM lab JOIN drug USING (patient)", ""),
        ("SELECT COUNT(*) FROM lab WHERE value > 4 OR value < 2", ""),
        ("SELECT COUNT(*) FROM lab LIMIT 1", ""),
        ("SELECT COUNT(*) + 1 FROM lab", ""),
    ],
)
def test_a_plain_query_is_read_back(
    sql: str, words: str, ward: tuple[Database, Views, Grammar]
) -> None:
    database, views, _ = ward
    tree = read_query(sql, views)
    form = read_form(tree, views)
    assert (" ".join(to_words(form)) if form else "") == words
    if form:
        own = database.execute(runnable(tree, views)).rows
        assert database.execute(to_sql(form, views)).rows == own


@given(st.text(max_size=60))
def test_no_text_of_a_model_raises_anything_else(text: str) -> None:
    views = Views("duckdb", {"drug": "SELECT 1 AS patient"}, {"drug": ("patient",)}, {})
    try:
        tree = read_query(text, views)
    except ToolError:
        return
    query_words(tree, "duckdb")
    read_form(tree, views)
