"""Hearing a turn: the user's words change the request that was built up so far."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from wardround.agents.keyword.goals import hear_goal
from wardround.agents.keyword.patterns import meaning, phrase, words_for
from wardround.agents.keyword.pivots import pivot
from wardround.agents.keyword.request import Comparison, Condition, Goal, Relation, Request, Window
from wardround.agents.keyword.spotting import (
    Spot,
    clean,
    cue_before,
    cues_in,
    find_things,
    negated,
    sentence_around,
    strike,
)
from wardround.agents.keyword.times import find_windows, number

# "If that was not found, ..." speaks of what is over.
_LOOKING_BACK = re.compile(
    r"\b(?:if|since|as|because|given that)\b[^,.?!;]*?"
    r"(?:\bnot?\b|n't\b|\bnone\b|\bnothing\b)[^,.?!;]*(?:,| then\b|$)"
)
_AGED = re.compile(r"\b(?:aged?|years? old|years of age|older|younger)\b")


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
    said = said.replace("\u2019", "'")
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
    turned = pivot(request, turn.left, {c.kind for c in conditions if c.phrase})
    if turned is not None:
        request, kind = turned
        conditions = [c for c in conditions if c.kind != kind or not c.phrase]
    return _aimed(_merged(request, conditions, replacing), turn.left)


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
    request = replace(request, goal=request.goal or _measure(request, left))
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


def _says(turn: Turn, name: str) -> bool:
    return phrase(name).search(turn.left) is not None


def _indication(left: str) -> str:
    found = phrase("indication").search(left)
    return clean(found["thing"]) if found else ""


def _hear_conditions(turn: Turn, request: Request, now: datetime) -> tuple[Turn, list[Condition]]:
    """The conditions that a turn names, with their times, bounds and order."""
    within = phrase("within").search(turn.left)
    turn = _struck(turn, phrase("within"))
    windows = [(f.start, f.end, f.window) for f in find_windows(turn.left, now)]
    left = turn.left
    for start, end, _ in windows:
        left = strike(left, start, end)
    bounds = _bounds(left)
    for start, end, _ in bounds:
        left = strike(left, start, end)
    spots = [_negatable(spot, left) for spot in _without_indication(turn, left, request)]
    if _says(turn, "broad"):
        spots = [_with(spot, exact=False) for spot in spots]
    spots = _related(spots, left, _span(within) if within else "", request)
    for start, end, window in windows:
        spots = _attached(spots, left, (start, end), request, window=window)
    for start, end, bound in bounds:
        spots = _attached(spots, turn.left, (start, end), request, bound=bound)
    return turn._replace(left=left), [spot.condition for spot in spots]


def _span(within: re.Match[str]) -> str:
    return f"{number(within['n'])} {within['unit']}s"


def _bounds(left: str) -> list[tuple[int, int, Comparison]]:
    """The bounds on numbers; those that are part of a longer one do not count."""
    found: list[tuple[int, int, Comparison]] = []
    for operator, said in words_for("bounds").items():
        for match in said.finditer(left):
            numbers = [n for n in match.groups() if n]
            if not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((*match.span(), Comparison(operator, float(numbers[0]))))
    return sorted(found, key=lambda each: each[0])


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
        return _with(spot, negated=True, column="excluded")
    return _with(spot, negated=not spot.condition.negated)


def _related(spots: list[Spot], left: str, within: str, request: Request) -> list[Spot]:
    """Things said to come after or before another become that other's relation."""
    kept: list[Spot] = []
    pending: list[Relation] = []
    for spot in spots:
        begin, _ = sentence_around(left, spot.start)
        order = phrase("order").search(left[begin : spot.start])
        if order is None or spot.condition.kind in ("patient", "admission", "icu"):
            kept.append(spot)
            continue
        later = order["order"] not in ("before", "prior to", "preceding")
        relation = Relation("after" if later else "before", spot.condition, within)
        if kept:
            kept[-1] = _with(kept[-1], relation=relation)
        else:
            pending.append(relation)
    for relation in pending:
        kept = _given(kept, relation, request)
    return kept


def _given(spots: list[Spot], relation: Relation, request: Request) -> list[Spot]:
    """The relation of what is asked for itself, or of what is named later."""
    if spots:
        return [_with(spots[0], relation=relation), *spots[1:]]
    kind = request.target_kind()
    if not kind or kind == "patient":
        return [Spot(0, 0, relation.anchor)]
    return [Spot(0, 0, Condition(kind, relation=relation))]


def _attached(
    spots: list[Spot],
    left: str,
    at: tuple[int, int],
    request: Request,
    window: Window | None = None,
    bound: Comparison | None = None,
) -> list[Spot]:
    """Gives a time span or a bound to the thing it was said of."""
    if bound:
        index = _measured(spots, left, at[0])
        if index is not None:
            had = spots[index].condition.bounds
            spots[index] = _with(spots[index], bounds=(*had, bound))
        elif _AGED.search(left[max(0, at[0] - 25) : at[1] + 25]):
            age = Condition("admission", column="age", bounds=(bound,))
            spots = [*spots, Spot(*at, age)]
        elif request.target_kind() in ("lab", "vital"):
            spots = [*spots, Spot(*at, Condition(request.target_kind(), bounds=(bound,)))]
        return spots
    kind = cue_before(left, *at) or _nearest_kind(spots, at[0]) or request.target_kind()
    begin, end = sentence_around(left, at[0])
    same = [n for n, s in enumerate(spots) if s.condition.kind == kind and begin <= s.start < end]
    if same:
        nearest = min(same, key=lambda n: abs(spots[n].start - at[0]))
        spots[nearest] = _with(spots[nearest], window=window)
        return spots
    return [*spots, Spot(*at, Condition(kind or "admission", window=window))]


def _nearest_kind(spots: list[Spot], position: int) -> str:
    events = [spot for spot in spots if spot.condition.kind != "patient"]
    return min(events, key=lambda s: abs(s.start - position)).condition.kind if events else ""


def _measured(spots: list[Spot], left: str, position: int) -> int | None:
    """The test or vital sign named nearest before a number, else nearest after it."""
    begin, end = sentence_around(left, position)
    numbers = [
        n
        for n, spot in enumerate(spots)
        if spot.condition.kind in ("lab", "vital") and begin <= spot.start < end
    ]
    distance = {n: (spots[n].start > position, abs(spots[n].start - position)) for n in numbers}
    return min(numbers, key=lambda n: distance[n]) if numbers else None


def _with(spot: Spot, **changes: object) -> Spot:
    return spot._replace(condition=replace(spot.condition, **changes))  # type: ignore[arg-type]


def _merged(request: Request, new: Iterable[Condition], replacing: bool) -> Request:
    """The request with the conditions of a turn added to, or put in place of, its own."""
    kept = list(request.conditions)
    for condition in new:
        if condition.column == "excluded":
            kept = _without(kept, condition)
            continue
        known = _same(condition, kept)
        if known is not None:
            kept[known] = _updated(kept[known], condition)
            continue
        rivals = [c for c in kept if c.kind == condition.kind and c.phrase and not c.negated]
        if replacing and condition.phrase and rivals:
            old = rivals[-1]
            kept[kept.index(old)] = _updated(replace(condition, negated=condition.negated), old)
        else:
            kept.append(condition)
    return replace(request, conditions=tuple(kept))


def _without(kept: list[Condition], left_out: Condition) -> list[Condition]:
    """The conditions with a drug left out of the class asked for; else nobody may have had it."""
    classes = [c for c in kept if c.column == "class" and not c.negated]
    if not classes:
        return [*kept, replace(left_out, column="name")]
    new = replace(classes[-1], without=(*classes[-1].without, left_out.phrase), values=None)
    return [new if c == classes[-1] else c for c in kept]


def _same(condition: Condition, kept: list[Condition]) -> int | None:
    """Where the same thing was named before; a bare time or bound goes to the last of its kind."""
    for index in reversed(range(len(kept))):
        old = kept[index]
        if old.kind != condition.kind:
            continue
        if old.column == condition.column and old.phrase == condition.phrase:
            return index
        bare = not condition.phrase and condition.column == "name" and not condition.negated
        if bare and condition.kind != "admission" and not old.negated:
            return index
    return None


def _updated(old: Condition, new: Condition) -> Condition:
    """The old thing with what was newly said of it."""
    return replace(
        old,
        bounds=new.bounds or old.bounds,
        window=new.window or old.window,
        relation=new.relation or old.relation,
        negated=new.negated or old.negated,
    )
