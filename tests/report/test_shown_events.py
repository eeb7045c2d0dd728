"""Events as pages show them: which results are tables, and what is cut."""

import json

import pytest

from tests.cases import for_each
from wardround.report.shown_events import MOST_ROWS, cut, result_table, shown_event
from wardround.report.trace import Turn


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ('{"columns": ["a", "b"], "rows": [[1, null]]}', ("a", "b"), (("1", None),)),
        ('{"columns": ["a"], "rows": [], "truncated": false}', ("a",), ()),
        ('{"rows": [["x"]], "columns": ["a"]}', ("a",), (("x",),)),
        (
            '[{"a": 1.5, "b": true}, {"a": 2, "b": false}]',
            ("a", "b"),
            (("1.5", "true"), ("2", "false")),
        ),
        ('[{"a": {"b": "Grüße"}}]', ("a",), (('{"b": "Grüße"}',),)),
    ],
)
def test_rows_are_a_table(
    text: str, columns: tuple[str, ...], rows: tuple[tuple[str | None, ...], ...]
) -> None:
    table = result_table(text)
    assert table is not None
    assert (table.columns, table.rows, table.left_out) == (columns, rows, 0)


@for_each(
    [
        "",
        "{",
        "[]",
        "{}",
        "5",
        '["a", "b"]',
        '{"columns": ["a"], "rows": [[1, 2]]}',
        '{"columns": ["a"], "rows": {"a": 1}}',
        '{"columns": [], "rows": []}',
        '[{"a": 1}, {"b": 1}]',
        '[{"a": 1}, 5]',
        "[{}]",
        '{"columns": ["a"], "rows": [[1]]',
        "[" * 5000,
    ]
)
def test_anything_else_is_text(text: str) -> None:
    assert result_table(text) is None


def test_a_long_table_is_cut() -> None:
    text = json.dumps({"columns": ["n"], "rows": [[n] for n in range(MOST_ROWS + 3)]})
    table = result_table(text)
    assert table is not None
    assert (len(table.rows), table.left_out) == (MOST_ROWS, 3)


def test_only_results_of_tools_are_tables() -> None:
    text = '[{"a": 1}]'
    assert shown_event(Turn("said", "user", text), 100).table is None
    shown = shown_event(Turn("returned", "sql_execute", text), 4)
    assert shown.table is not None
    assert shown.text == cut(text, 4)
