"""The seven types found in golds, and the words of requests that tell them."""

from pathlib import Path

import pytest
from sqlglot import exp

from wardround.authoring.interact.ambiguities.implementation import implementation
from wardround.authoring.interact.ambiguities.mutation import misread
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.interact.ambiguities.statement_nodes import read_statements, text_of
from wardround.authoring.interact.ambiguities.wording_templates import told
from wardround.authoring.interact.shipped.make import made_tasks

HERE = Path(__file__).parent


def lines(name: str) -> list[list[str]]:
    text = (HERE / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in text if not line.startswith("#")][1:]


@pytest.mark.parametrize("case", lines("implementation.tsv"), ids=lambda case: case[0][:60])
def test_found_in_the_gold(case: list[str]) -> None:
    sql, *expected = case
    [statement] = read_statements([sql])
    found = [
        [one.kind, one.fragment, misread(sql, one.fragment, one.otherwise[0])]
        for one in implementation("", statement)
    ]
    assert found == ([expected] if expected else [])
    assert all(one.meaning and not one.critical for one in implementation("", statement))


@pytest.mark.parametrize("case", lines("told.tsv"), ids=lambda case: case[1][:60])
def test_taken_out_of_the_request(case: list[str]) -> None:
    kind, clear, expected = case
    one = Proposal(kind, "", "", (), told(kind, clear), "")
    assert ambiguous(clear, [one]) == expected


def test_a_division_is_no_null_of_its_own() -> None:
    sql = "SELECT COALESCE(ROUND(a / NULLIF(b, 0), 1), 0), COALESCE(c, 1) FROM t"
    [statement] = read_statements([sql])
    found = {one.kind: one.fragment for one in implementation("", statement)}
    assert found["null"] == "COALESCE(c, 1)"
    assert found["divide by zero"] == "COALESCE(ROUND(a / NULLIF(b, 0), 1), 0)"


def test_pieces_of_golds_are_found_as_they_are_written() -> None:
    sought = (exp.Func, exp.Binary, exp.In, exp.Column, exp.Order, exp.Join)
    found = [
        (text_of(node, statement), node, statement.sql)
        for task in made_tasks()
        for statement in read_statements(task.hidden.first.gold)
        for node in statement.tree.find_all(*sought)
    ]
    assert all(text in sql for text, _, sql in found)
    missing = [node.sql() for text, node, _ in found if not text]
    assert len(missing) < len(found) / 20, missing
