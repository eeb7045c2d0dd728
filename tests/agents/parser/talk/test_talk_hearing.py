import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.parser.talk.request import Condition, Goal, Request
from wardround.agents.parser.talk.times import back
from wardround.agents.parser.talk.turn_reader import hear, wants_check

NOW = datetime(2100, 12, 31, 23, 59)
LINES = (Path(__file__).parent / "heard.jsonl").read_text("utf-8").splitlines()


def render(request: Request) -> list[str]:
    """The request, a line for what is sought, each setting and each condition."""
    lines = [_goal(request.goal)] if request.goal else []
    for name in ("patient", "visit", "stay", "hours", "again", "indication"):
        if getattr(request, name):
            lines.append(f"{name}: {getattr(request, name)}")
    lines += [name for name in ("same_visit", "in_words", "vague") if getattr(request, name)]
    lines += [_condition(c) for c in request.conditions]
    return lines + [f"part: {_condition(c)}" for c in request.part]


def _goal(goal: Goal) -> str:
    parts = [goal.shape, goal.of, goal.which, goal.column, str(goal.top)]
    plain = ["", "", "all", "name", "1"]
    told = [p for p, usual in zip(parts, plain, strict=True) if p != usual]
    told += [f"by {goal.by}"] if goal.by else []
    told += [f"per {goal.per}"] if goal.per else []
    return " ".join([*told, f"x{goal.scale}"] if goal.scale != 1 else told)


def _condition(c: Condition) -> str:
    told = ("not " if c.negated else "") + c.kind
    told += f".{c.column}" if c.column != "name" else ""
    told += f" '{c.phrase}'" if c.phrase else ""
    told += f" = {' | '.join(c.values or c.names[:1])}" if c.values or c.names else ""
    told += f" without {' | '.join(c.without)}" if c.without else ""
    told += " in total" if c.total else ""
    told += f" {c.place}" if c.place else ""
    told += "".join(f" {b.operator} {b.number:g}" for b in c.bounds)
    if c.window:
        told += f" [{c.window.since or ''} .. {c.window.until or ''}]"
    if c.relation:
        told += f" {c.relation.order} {{{_condition(c.relation.anchor)}}} {c.relation.within}"
    marks = [name for name in ("ever", "apart", "either", "tentative") if getattr(c, name)]
    return (told + "".join(f" ({mark})" for mark in marks)).strip()


@pytest.mark.parametrize("line", LINES, ids=lambda line: orjson.loads(line)["turns"][-1][:40])
def test_turns_are_heard_as_the_fixture_says(line: str) -> None:
    case = orjson.loads(line)
    request = Request()
    for turn in case["turns"]:
        request = hear(request, turn, NOW)
    assert render(request) == case["heard"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: orjson.loads(line)["turns"][-1][:40])
def test_asking_to_double_check_changes_nothing(line: str) -> None:
    request = hear(Request(), orjson.loads(line)["turns"][0], NOW)
    asked = "Can you double check that this covers my goals?"
    assert wants_check(asked)
    assert render(hear(request, asked, NOW)) == [
        part for part in render(request) if part != "vague"
    ]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_words_are_heard_without_an_error(first: str, second: str) -> None:
    assert hear(hear(Request(), first, NOW), second, NOW) is not None


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2900, 1, 1)),
    st.integers(0, 500),
    st.sampled_from(["hour", "day", "week", "month", "year"]),
)
def test_going_back_in_time_agrees_with_sqlite(now: datetime, count: int, unit: str) -> None:
    now = now.replace(microsecond=0)
    days = f"-{count * 7} days" if unit == "week" else f"-{count} {unit}s"
    with closing(sqlite3.connect(":memory:")) as connection:
        (expected,) = connection.execute("SELECT datetime(?, ?)", (str(now), days))
    assert str(back(now, count, unit)) == expected[0]


def test_a_thing_named_after_a_failure_takes_the_place_of_what_failed() -> None:
    request = hear(Request(), "How many patients were prescribed warfarin?", NOW)
    added = hear(request, "Check for heparin.", NOW)
    replaced = hear(request, "Check for heparin.", NOW, failed=True)
    drugs = [[c.phrase for c in heard.conditions] for heard in (added, replaced)]
    assert drugs == [["warfarin", "heparin"], ["heparin"]]
