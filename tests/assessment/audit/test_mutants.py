"""Each fault of a gold is what its name says, and leaves what it does not know."""

import pytest

from wardround.assessment.audit.mutants import FAULTS, changed_action
from wardround.core.actions import Call, Say

QUERY = "SELECT MAX(value) FROM lab WHERE item = 'K' AND value > 3 ORDER BY value"


@pytest.mark.parametrize(
    ("fault", "sql"),
    [
        ("another number", QUERY.replace("3", "4")),
        ("another text", QUERY.replace("'K'", "'K x'")),
        ("a condition less", QUERY.replace(" AND value > 3", "")),
        ("another aggregate", QUERY.replace("MAX", "MIN")),
        ("a comparison turned", QUERY.replace("value > 3", "value < 3")),
        ("an order turned", f"{QUERY} DESC"),
    ],
)
def test_a_query_with_a_fault(fault: str, sql: str) -> None:
    changed = changed_action(Call("sql", {"query": QUERY}), fault)
    assert isinstance(changed, Call)
    assert changed.arguments["query"].removesuffix(" NULLS LAST") in (
        sql,
        # Which comparison is turned first is sqlglot's.
        QUERY.replace("item = 'K'", "item <> 'K'") if fault == "a comparison turned" else sql,
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_words_without_a_number_stay(fault: str) -> None:
    assert changed_action(Say("Heparin was given."), fault) is None


def test_the_last_number_in_a_resource_is_another() -> None:
    body = {"dose": [{"value": 5, "unit": "mg"}], "intent": "order"}
    changed = changed_action(Call("create", {"resource": body}), "another number")
    assert changed == Call(
        "create", {"resource": {"dose": [{"value": 6, "unit": "mg"}], "intent": "order"}}
    )
