"""Counts of a suite: of the hand-written sessions, and of changed ones."""

from dataclasses import replace

import pytest

from tools.suites.assist_counts import (
    TYPES,
    arcs,
    cells,
    count_tables,
    crossed_tools,
    forms,
    gold_tools,
    patient_turns,
    read_shares,
    repeated_resources,
    unused_tools,
)
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.benchmarks.assist.sessions import SCENARIOS, Session
from wardround.benchmarks.assist.tasks import shipped_tasks

SESSIONS = shipped_tasks("hand_written").tasks


def with_tools(session: Session, tools: dict[int, str]) -> Session:
    """The session with the first gold call of some turns replaced."""
    turns = list(session.hidden.turns)
    for number, tool in tools.items():
        calls = turns[number].calls
        turns[number] = replace(turns[number], calls=(replace(calls[0], tool=tool), *calls[1:]))
    return replace(session, hidden=replace(session.hidden, turns=tuple(turns)))


def test_counts_add_up_to_the_turns() -> None:
    assert cells(SESSIONS).total() == arcs(SESSIONS).total() == len(SESSIONS)
    assert forms(SESSIONS).total() == 4 * len(SESSIONS)
    assert patient_turns(SESSIONS) == {1: len(SESSIONS)}
    calls = sum(len(turn.calls) for each in SESSIONS for turn in each.hidden.turns)
    assert gold_tools(SESSIONS).total() == calls
    assert sum(read_shares(SESSIONS).values()) == pytest.approx(1)


def test_a_tool_that_the_table_crosses_is_found() -> None:
    session = next(each for each in SESSIONS if each.labels["scenario"] == "med_safety")
    crossed = with_tools(session, {0: "CarePlan.search"})
    assert ("med_safety", "CarePlan.search") in crossed_tools([crossed])
    assert ("med_safety", "CarePlan.search") not in crossed_tools([session])


def test_every_ticked_tool_is_unused_without_sessions() -> None:
    ticked = {(scenario, tool) for scenario in SCENARIOS for tool in scenario_tools(scenario)}
    assert set(unused_tools([])) == ticked
    assert len(ticked) == 47
    assert not set(unused_tools(SESSIONS)) & set(gold_tools(SESSIONS))


@pytest.mark.parametrize(("turns", "repeated"), [((0, 1), []), ((0, 1, 2), ["CarePlan"])])
def test_a_resource_in_three_turns_is_found(turns: tuple[int, ...], repeated: list[str]) -> None:
    session = with_tools(SESSIONS[0], dict.fromkeys(turns, "CarePlan.search"))
    assert "CarePlan" not in repeated_resources(SESSIONS[0])
    assert [each for each in repeated_resources(session) if each == "CarePlan"] == repeated


def test_tables_have_the_counts() -> None:
    tables = count_tables(SESSIONS)
    assert tables["forms"].rows[-1] == ("all", *(forms_of(type) for type in TYPES))
    assert tables["tools"].rows[0][0] == "CarePlan.search"
    used = gold_tools(SESSIONS)
    assert tables["tools"].rows[0][1:] == tuple(used[s, "CarePlan.search"] for s in SCENARIOS)


def forms_of(type: str) -> int:
    """The number of turns of a type."""
    return sum(turn.type == type for each in SESSIONS for turn in each.hidden.turns)
