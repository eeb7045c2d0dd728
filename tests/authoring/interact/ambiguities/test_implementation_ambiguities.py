"""Implementation ambiguities found in golds, and the words of requests that resolve them."""

from pathlib import Path

from sqlglot import exp

from tests.cases import for_each
from tools.suites.interact_tasks.definitions import made_tasks
from wardround.authoring.interact.ambiguities.implementation import (
    implementation,
    request_words,
)
from wardround.authoring.interact.ambiguities.mutation import misread
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.interact.ambiguities.statement_nodes import read_statements

HERE = Path(__file__).parent


def lines(name: str) -> list[list[str]]:
    text = (HERE / name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in text if not line.startswith("#")][1:]


@for_each(lines("implementation.tsv"))
def test_each_type_is_found_in_the_gold(case: list[str]) -> None:
    sql, *expected = case
    [statement] = read_statements([sql])
    proposals = implementation("", statement)
    readings = [
        [each.kind, each.fragment, misread(sql, each.fragment, each.otherwise[0])]
        for each in proposals
    ]
    assert readings == ([expected] if expected else [])
    assert all(each.meaning and not each.critical for each in proposals)


@for_each(lines("request_words.tsv"))
def test_resolving_words_are_removed_from_the_request(case: list[str]) -> None:
    kind, clear, expected = case
    proposal = Proposal(kind, "", "", (), request_words(kind, clear), "")
    assert ambiguous(clear, [proposal]) == expected


def test_division_s_coalesce_is_not_a_null_ambiguity() -> None:
    sql = "SELECT COALESCE(ROUND(a / NULLIF(b, 0), 1), 0), COALESCE(c, 1) FROM t"
    [statement] = read_statements([sql])
    fragments = {each.kind: each.fragment for each in implementation("", statement)}
    assert fragments["null"] == "COALESCE(c, 1)"
    assert fragments["divide by zero"] == "COALESCE(ROUND(a / NULLIF(b, 0), 1), 0)"


def test_node_text_is_the_source_text() -> None:
    kinds = (exp.Func, exp.Binary, exp.In, exp.Column, exp.Order, exp.Join)
    golds = [gold for task in made_tasks() for gold in task.hidden.first.gold]
    nodes = [
        (statement.text(node), node, statement.sql)
        for statement in read_statements(golds)
        for node in statement.tree.find_all(*kinds)
    ]
    assert all(text in sql for text, _, sql in nodes)
    missing = [node.sql() for text, node, _ in nodes if not text]
    assert (len(missing), len(nodes)) == (6, 637), missing
