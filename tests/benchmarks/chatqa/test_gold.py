"""Gold answers of AdaptQA are compared with the results of their gold queries."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic
from wardround.core.limits import Limits
from wardround.core.task import Task
from wardround.ehr.database import Database, open_database

DIFFERS = "its gold answer is not its gold query's result: "


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    connection = sqlite3.connect(tmp_path / "empty.sqlite")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    opened = open_database(tmp_path / "empty.sqlite")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("sql", "gold", "reason"),
    [
        ("SELECT 1", [["banana"]], DIFFERS + "want banana, got 1"),
        ("SELECT 2", [[1]], DIFFERS + "want 1, got 2"),
        ("SELECT 2", [["one"]], DIFFERS + "want 1, got 2"),
        ("SELECT 1 UNION SELECT 2", [[1]], DIFFERS + "want nothing more, got 2"),
        ("SELECT 1", [[1], ["aspirin"]], DIFFERS + "want aspirin, got nothing more"),
        ("SELECT 0.12346", [[0.1234]], DIFFERS + "want 0.1234, got 0.1235"),
        ("SELECT NULL", [["zero"]], DIFFERS + "want 0, got none"),
        ("SELECT 1", [[1]], ""),
        ("SELECT 1.0", [["one"]], ""),
        ("SELECT 247", [["two hundred and forty-seven"]], ""),
        ("SELECT 13", [["thirteen"]], ""),
        ("SELECT 1.23456", [[1.2346]], ""),
        ("SELECT 'Aspirin'", [["aspirin"]], ""),
        ("SELECT 2 UNION SELECT 1", [["one"], ["two"]], ""),
        ("SELECT 'a' UNION ALL SELECT 'a'", [["a"]], ""),
        ("SELECT 'aspirin', 81", [["aspirin", 325]], ""),
        ("SELECT 'Aspirin'", [["Aspirin"]], ""),
        ("SELECT NULL", [[None]], ""),
        ("SELECT '1e3'", [["1e3"]], "its gold does not pass the paper grader"),
    ],
)
def test_gold_answer_must_equal_its_query_s_result(
    database: Database, sql: str, gold: list[list[Any]], reason: str
) -> None:
    hidden = ChatHidden("", sql, tuple(map(tuple, gold)))
    problem = check_gold(Task("t", ChatPublic("adapt", "d"), hidden), database, Limits())
    assert problem.startswith(reason) if reason else problem == ""
