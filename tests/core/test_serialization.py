"""Checks of actions, and JSON of any text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.core.actions import Action, Call, Say
from wardround.core.errors import AgentError
from wardround.core.serialization import checked_action
from wardround.core.trajectory import Noted, Trajectory, from_json, to_json

HALF = "\ud83d"


def _nested(levels: int) -> Any:
    return json.loads("[" * levels + "]" * levels)


@for_each(
    [
        (None, "no action but NoneType"),
        ("submit", "no action but str"),
        (Say, "no action but type"),
        (Say(None), "no action but Say"),  # type: ignore[arg-type]
        (Say(b"x"), "no action but Say"),  # type: ignore[arg-type]
        (Call("t", None), "no action but Call"),  # type: ignore[arg-type]
        (Call("t", "sql"), "no action but Call"),  # type: ignore[arg-type]
        (Call(None), "no action but Call"),  # type: ignore[arg-type]
        (Call("t", {"sql": b"x"}), "cannot be written"),
        (Call("t", {"sql": {1, 2}}), "cannot be written"),
        (Call("t", {"sql": object()}), "cannot be written"),
        (Call("t", {"sql": 10**30}), "cannot be written"),
        (Call("t", {"sql": _nested(900)}), "nested too deeply"),
        (Say("x" * 100_001), "action is larger than 100 kB"),
        (Say("\u03bc" * 50_001), "action is larger than 100 kB"),
        (Call("t", {"sql": "x" * 100_001}), "action is larger than 100 kB"),
        (Call("x" * 100_001), "action is larger than 100 kB"),
    ]
)
def test_an_invalid_action_is_an_agent_error(action: object, reason: str) -> None:
    with pytest.raises(AgentError, match=reason):
        checked_action(action)


# Including lone surrogates.
text = st.text(st.characters(exclude_categories=()), max_size=20)


@given(
    st.builds(Say, text)
    | st.builds(Call, text, st.dictionaries(text, text | st.lists(text, max_size=3), max_size=3))
)
def test_actions_with_any_characters_round_trip(action: Action) -> None:
    carried_out = checked_action(action)
    trajectory = Trajectory()
    trajectory.acted(carried_out)
    assert list(from_json(to_json(trajectory)).actions()) == [carried_out]
    assert checked_action(carried_out) == carried_out


def test_accepted_nesting_round_trips() -> None:
    deepest = checked_action(Call("t", {"a": _nested(149)}))
    trajectory = Trajectory()
    trajectory.acted(deepest)
    assert list(from_json(to_json(trajectory)).actions()) == [deepest]


def test_surrogate_pairs_are_joined() -> None:
    assert checked_action(Say("\ud83d\ude00")) == Say("\U0001f600")


def test_lone_surrogates_in_any_text_are_replaced() -> None:
    trajectory = Trajectory([Noted("reply", {HALF: [HALF, 7, None]})])
    (noted,) = from_json(to_json(trajectory)).events
    assert noted == Noted("reply", {"\ufffd": ["\ufffd", 7, None]})
