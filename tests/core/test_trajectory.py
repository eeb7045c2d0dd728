"""Trajectories round-trip, and totals add up."""

from hypothesis import given
from hypothesis import strategies as st

from wardround.core.actions import Call, Observation, Say
from wardround.core.record import RoleUse, use_by_role
from wardround.core.trajectory import (
    Called,
    Event,
    Noted,
    Requested,
    Returned,
    Said,
    Trajectory,
    from_json,
    to_json,
)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Said, text, text),
    st.builds(Called, text, st.dictionaries(text, values, max_size=3)),
    st.builds(Returned, text, text),
    st.builds(Noted, text, st.dictionaries(text, values, max_size=3)),
    st.builds(
        Requested,
        text,
        text,
        st.integers(0, 10**6),
        st.integers(0, 10**6),
        st.none() | st.floats(0, 100),
        st.floats(0, 1000),
        st.integers(0, 9),
        st.booleans(),
    ),
)


@given(st.lists(events, max_size=8))
def test_writing_and_reading_are_inverse(happened: list[Event]) -> None:
    line = to_json(Trajectory(happened))
    assert b"\n" not in line
    assert from_json(line).events == happened


def test_agent_actions_round_trip() -> None:
    trajectory = Trajectory()
    trajectory.observed(Observation("hello", "user"), after=None)
    for action in (Say("hi"), Call("look", {"at": 1})):
        trajectory.acted(action)
        trajectory.observed(Observation("seen", "tool"), after=action)
    assert list(trajectory.actions()) == [Say("hi"), Call("look", {"at": 1})]
    assert trajectory.calls("look") == [Called("look", {"at": 1})]
    assert trajectory.calls("other") == []


def test_use_is_summed_by_role_and_unknown_price_is_not_zero() -> None:
    requests = [
        Requested("agent", "m", 10, 1, 0.25, 1.0),
        Requested("agent", "m", 20, 2, 0.5, 2.0),
        Requested("user", "n", 5, 5, None, 0.5),
        Requested("user", "n", 5, 5, 1.0, 0.5),
    ]
    assert use_by_role(requests) == {
        "agent": RoleUse(2, 30, 3, 0.75, 3.0),
        "user": RoleUse(2, 10, 10, None, 1.0),
    }
