"""Each fault of a gold is what its name says, and leaves what it does not know."""

import pytest

from wardround.assessment.audit.mutants import FAULTS, changed_action, with_fault
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger

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


def test_the_other_arguments_of_a_query_stay() -> None:
    changed = changed_action(Call("sql", {"query": QUERY, "rows": 100}), "another number")
    assert changed == Call("sql", {"query": QUERY.replace("3", "4"), "rows": 100})
    assert (
        changed_action(Call("sql", {"query": "SELECT a FROM t", "rows": 9}), "another number")
        is None
    )


async def test_the_last_query_has_the_fault_and_words_after_it_do_not() -> None:
    actions: list[Action] = [
        Call("sql", {"query": "SELECT 1"}),
        Call("sql", {"query": QUERY}),
        Say("The answer is 7."),
    ]

    class Oracle:
        def __init__(self) -> None:
            self.actions = iter(actions)

        async def act(self, observation: Observation) -> Action:
            return next(self.actions)

    make = with_fault(lambda briefing, context: Oracle(), actions, "another number")
    assert make is not None
    agent = make(Briefing("", ()), AgentContext(0, Ledger()))
    played = [await agent.act(Observation("", "user")) for _ in actions]
    assert played[0] == actions[0]
    assert played[1] == Call("sql", {"query": QUERY.replace("3", "4")})
    assert played[2] == actions[2]
