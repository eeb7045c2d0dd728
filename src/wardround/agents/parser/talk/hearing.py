"""Hearing a turn: the user's words change the request that was built up so far."""

import re
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from wardround.agents.keyword.attaching import (
    find_bounds,
    with_bound,
    with_relations,
    with_window,
)
from wardround.agents.keyword.goals import hear_goal
from wardround.agents.keyword.merging import merged, settled
from wardround.agents.keyword.patterns import meaning, phrase, words_for
from wardround.agents.keyword.pivots import pivot
from wardround.agents.keyword.request import Condition, Goal, Request
from wardround.agents.keyword.spotting import (
    Spot,
    clean,
    cues_in,
    find_things,
    negated,
    sentence_around,
    strike,
)
from wardround.agents.keyword.times import find_windows, number
from wardround.agents.keyword.vocabulary import is_term

# "If that was not found, ..." speaks of what is over.
_LOOKING_BACK = re.compile(
    r"\b(?:if|since|as|because|given that)\b[^,.?!;]*?"
    r"(?:\bnot?\b|n't\b|\bnone\b|\bnothing\b)[^,.?!;]*(?:,| then\b|$)"
)

_ASKS_FIRST = re.compile(r"[^.?!]*\?")
_INITIAL = re.compile(r"\b([A-Za-z])\. (?=[a-z]{3})")  # "E. coli" ends no sentence


class Turn(NamedTuple):
    """A user's turn while it is being understood; `left` has what is understood struck out."""

    said: str
    left: str


def hear(request: Request, said: str, now: datetime, *, failed: bool = False) -> Request:
    """What is asked after a turn.

    Args:
        request: what was asked before.
        said: the user's words.
        now: the current time of the records.
        failed: whether nothing was found before, so that a new thing takes the old one's place.
    """
    before, said = request, _INITIAL.sub(r"\1 ", said.replace("\u2019", "'"))
    turn = Turn(said, said.lower())
    with_visits = _struck(turn, phrase("patient")).left
    turn, request = _hear_setting(turn, request)
    goal = hear_goal(turn.left, request.goal)
    if goal is None or goal.weak:
        goal = hear_goal(with_visits, goal)
    replacing = failed or phrase("replacing").search(turn.left) is not None
    turn = _struck(_struck(turn, _LOOKING_BACK), phrase("ranking"))
    request = replace(request, goal=goal)
    turn, conditions = _hear_conditions(turn, request, now)
    if is_opening(before, said):
        conditions = [_tentative(condition) for condition in conditions]
    request = settled(request, conditions, _says_goal_afresh(turn))
    turned = pivot(request, turn.left, {c.kind for c in conditions if c.phrase})
    if turned is not None:
        request, kind = turned
        conditions = [c for c in conditions if c.kind != kind or not c.phrase]
    heard = _aimed(merged(request, conditions, replacing), turn.left)
    return heard if _asks_of_drugs(heard) else replace(heard, indication="")


def is_opening(before: Request, said: str) -> bool:
    """Whether a talk is opened by a statement: what is meant is to follow."""
    return before == Request() and not _ASKS_FIRST.match(said)


def wants_check(said: str) -> bool:
    """Whether the user only wants to be sure."""
    return phrase("check").search(said.lower()) is not None


def _struck(turn: Turn, pattern: re.Pattern[str]) -> Turn:
    left = turn.left
    for match in pattern.finditer(left):
        left = strike(left, *match.span())
    return turn._replace(left=left)


def _hear_setting(turn: Turn, request: Request) -> tuple[Turn, Request]:
    """What holds for the whole request: the patient, the visit, the form of the answer."""
    ids = phrase("patient").search(turn.left)
    visit = phrase("visit").search(turn.left)
    heard = replace(
        request,
        patient=(ids["id"] or ids["bare"]) if ids else request.patient,
        visit=(meaning("which", visit["which"]) or "current") if visit else request.visit,
        same_visit=request.same_visit or _says(turn, "same_visit"),
        in_words=request.in_words or _says(turn, "in_words"),
        vague=_says(turn, "vague"),
    )
    for name in ("patient", "visit", "same_visit"):
        turn = _struck(turn, phrase(name))
    return turn, replace(heard, indication=_indication(turn.left) or request.indication)


def _aimed(request: Request, left: str) -> Request:
    """The request with what its goal speaks of only in passing: "when admitted", "cost of labs"."""
    kinds = [kind for kind in cues_in(left) if kind != "cost"]
    if request.goal is None or request.goal.weak:
        request = replace(request, goal=_measure(request, left) or request.goal)
    goal, had = request.goal, {condition.kind for condition in request.conditions}
    if goal is None or not kinds:
        return request
    if goal.shape == "cost" and kinds[0] not in had | {"admission", "icu"}:
        bare = Condition(kinds[0])
        return replace(request, conditions=(*request.conditions, bare))
    if not request.target_kind() and goal.shape in ("time", "elapsed", "list", "exists", "value"):
        return replace(request, goal=replace(goal, of=kinds[0]))
    return request


def _measure(request: Request, left: str) -> Goal | None:
    """The goal of words such as "average hemoglobin", which name but a test and which value."""
    kind = next((c.kind for c in request.conditions if c.kind in ("lab", "vital")), None)
    said = (w for w, p in words_for("which").items() if re.search(rf"\b(?:{p.pattern})\b", left))
    which = next(said, None)
    return Goal("value", kind, which, "value") if kind and which else None


def _tentative(condition: Condition) -> Condition:
    """A condition of an opening, which counts in full only if it is a clinical term."""
    if condition.kind in ("admission", "patient") or not condition.phrase:
        return condition
    return replace(condition, tentative=not is_term(condition.kind, condition.phrase))


def _says_goal_afresh(turn: Turn) -> bool:
    goal = hear_goal(turn.left, None)
    return goal is not None and not goal.weak and not _says(turn, "refers_back")


def _asks_of_drugs(request: Request) -> bool:
    return request.target_kind() == "drug" or any(c.kind == "drug" for c in request.conditions)


def _says(turn: Turn, name: str) -> bool:
    return phrase(name).search(turn.left) is not None


def _indication(left: str) -> str:
    found = phrase("indication").search(left)
    return clean(found["thing"]) if found else ""


def _hear_conditions(turn: Turn, request: Request, now: datetime) -> tuple[Turn, list[Condition]]:
    """The conditions that a turn names, with their times, bounds and order."""
    within = phrase("within").search(turn.left)
    span = f"{number(within['n'])} {within['unit']}s" if within else ""
    turn = _struck(turn, phrase("within"))
    windows = [(f.start, f.end, f.window) for f in find_windows(turn.left, now)]
    left = turn.left
    for start, end, _ in windows:
        left = strike(left, start, end)
    bounds = find_bounds(left)
    for start, end, _ in bounds:
        left = strike(left, start, end)
    spots = [_negatable(spot, left) for spot in _without_indication(turn, left, request)]
    if _says(turn, "broad"):
        spots = [spot.changed(exact=False) for spot in spots]
    spots = with_relations(spots, left, span, request)
    for start, end, window in windows:
        spots = with_window(spots, left, (start, end), window, request)
    for start, end, bound in bounds:
        spots = with_bound(spots, turn.left, (start, end), bound, request)
    return turn._replace(left=left), [spot.condition for spot in spots]


def _without_indication(turn: Turn, left: str, request: Request) -> list[Spot]:
    """The things named, but for what a drug is said to be for."""
    found = phrase("indication").search(left)
    if found and clean(found["thing"]):
        spots = find_things(turn.said, strike(left, *found.span("thing")))
        if any(spot.condition.kind == "drug" for spot in spots) or request.target_kind() == "drug":
            return spots
    return find_things(turn.said, left)


def _negatable(spot: Spot, left: str) -> Spot:
    if not negated(left, spot.start):
        return spot
    begin, _ = sentence_around(left, spot.start)
    if spot.condition.kind == "drug" and phrase("excluded").search(left[begin : spot.start]):
        return spot.changed(negated=True, column="excluded")
    return spot.changed(negated=not spot.condition.negated)
