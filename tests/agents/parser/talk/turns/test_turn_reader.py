import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.agents.parser.talk.request import Clause, Request, StatedGoal
from wardround.agents.parser.talk.times import time_ago
from wardround.agents.parser.talk.turns.turn_reader import asks_to_check, read_turn
from wardround.ehr.query import Between

NOW = datetime(2100, 12, 31, 23, 59)
LINES = (Path(__file__).parent / "turns.jsonl").read_text("utf-8").splitlines()


def render(request: Request) -> list[str]:
    """The request, a line for the goal, each scope and each condition."""
    lines = [_goal(request.goal)] if request.goal else []
    for name in ("patient", "visit", "stay", "hours", "again", "indication"):
        if getattr(request, name):
            lines.append(f"{name}: {getattr(request, name)}")
    lines += [name for name in ("same_visit", "in_words", "vague") if getattr(request, name)]
    lines += [_condition(c) for c in request.conditions]
    return lines + [f"part: {_condition(c)}" for c in request.part]


def _goal(goal: StatedGoal) -> str:
    parts = [goal.shape, goal.of, goal.which, goal.column, str(goal.top)]
    plain = ["", "", "all", "name", "1"]
    rendered = [p for p, usual in zip(parts, plain, strict=True) if p != usual]
    rendered += [f"by {goal.ranked}"] if goal.ranked else []
    rendered += [f"per {goal.per}"] if goal.per else []
    return " ".join([*rendered, f"x{goal.scale}"] if goal.scale != 1 else rendered)


def _condition(c: Clause) -> str:
    rendered = ("not " if c.is_negated else "") + c.kind
    rendered += f".{c.column}" if c.column != "name" else ""
    rendered += f" '{c.phrase}'" if c.phrase else ""
    stored = c.stored or c.words.names[:1]
    rendered += f" = {' | '.join(stored)}" if stored else ""
    rendered += f" without {' | '.join(c.words.without)}" if c.words.without else ""
    stated = c.condition
    rendered += " in total" if stated.which == "total" else ""
    rendered += f" {stated.which}" if stated.which in ("first", "last") else ""
    rendered += "".join(f" {b.operator} {b.number:g}" for b in stated.bounds)
    for time in (period.filter for period in stated.periods):
        if isinstance(time, Between):
            rendered += f" [{time.since or ''} .. {time.until or ''}]"
    if stated.relation and c.anchor:
        anchor = _condition(c.anchor.changed(which="any"))
        rendered += f" {stated.relation.order} {{{anchor}}} {stated.relation.within or ''}"
    marks = [
        name for name in ("ever", "on_other_records", "either", "tentative") if getattr(c, name)
    ]
    return (rendered + "".join(f" ({mark})" for mark in marks)).strip()


@for_each(LINES)
def test_turns_are_read_as_specified(line: str) -> None:
    case = orjson.loads(line)
    request = Request()
    for turn in case["turns"]:
        request = read_turn(request, turn, NOW)
    assert render(request) == case["request"]


@for_each(LINES)
def test_asking_for_a_check_changes_nothing(line: str) -> None:
    request = read_turn(Request(), orjson.loads(line)["turns"][0], NOW)
    asked = "Can you double check that this covers my goals?"
    assert asks_to_check(asked)
    assert render(read_turn(request, asked, NOW)) == [
        part for part in render(request) if part != "vague"
    ]


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_read_without_an_error(first: str, second: str) -> None:
    assert read_turn(read_turn(Request(), first, NOW), second, NOW) is not None


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2900, 1, 1)),
    st.integers(0, 500),
    st.sampled_from(["hour", "day", "week", "month", "year"]),
)
def test_time_ago_agrees_with_sqlite(now: datetime, count: int, unit: str) -> None:
    now = now.replace(microsecond=0)
    days = f"-{count * 7} days" if unit == "week" else f"-{count} {unit}s"
    with closing(sqlite3.connect(":memory:")) as connection:
        (expected,) = connection.execute("SELECT datetime(?, ?)", (str(now), days))
    assert str(time_ago(now, count, unit)) == expected[0]


def test_condition_after_a_failure_replaces_the_failed_one() -> None:
    request = read_turn(Request(), "How many patients were prescribed warfarin?", NOW)
    added = read_turn(request, "Check for heparin.", NOW)
    replaced = read_turn(request, "Check for heparin.", NOW, failed=True)
    drugs = [[c.phrase for c in latest.conditions] for latest in (added, replaced)]
    assert drugs == [["warfarin", "heparin"], ["heparin"]]
