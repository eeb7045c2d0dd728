"""Fragments in the scope of an ambiguity."""

from tests.cases import for_each
from wardround.people.clarifying.candidates import fragments_in_scope
from wardround.people.clarifying.fragments import fragments
from wardround.people.clarifying.secret import Ambiguity

GOLD = (
    "SELECT ward, ROUND(AVG(valuenum), 1), COUNT(*) FROM labevents"
    " WHERE valuenum < 8.5 AND label = 'calcium' GROUP BY ward ORDER BY ward",
)


@for_each(
    [
        ("semantic", "label = 'calcium'", ["choice"]),
        # No grammar reads half a condition: it is about the condition around it.
        ("semantic", "< 8.5", ["threshold"]),
        ("semantic", "valuenum < 8.5 AND label = 'calcium'", ["threshold", "choice"]),
        # A question about a calculation is apart from one about a word's meaning.
        ("semantic", "COUNT(*) AS stays", []),
        ("semantic", "COUNT(*)", ["count"]),
        ("decimal", "ROUND(AVG(valuenum), 1)", ["decimal"]),
        # A question with unknown words is about all ambiguities of its kind.
        ("sort", "ORDER BY something_else", ["order"]),
    ]
)
def test_fragments_in_scope(kind: str, fragment: str, aspects: list[str]) -> None:
    ambiguity = Ambiguity("it", kind, (fragment,))
    assert [
        fragment.aspect for fragment in fragments_in_scope(ambiguity, fragments(GOLD))
    ] == aspects
