"""Giving times, bounds and order to the things that they were said of."""

import re

from wardround.agents.keyword.patterns import phrase, words_for
from wardround.agents.keyword.request import Comparison, Condition, Relation, Request, Window
from wardround.agents.keyword.spotting import Spot, cue_before, sentence_around

_AGED = re.compile(
    r"\b(?:aged?|years? old|years of age|older|younger)\b"
    r"|\b(?:wom[ae]n|m[ae]n|people|patients|adults|those|\|+|were|was) (?:over|under|above|below)\b"
)
_NEAR = 25  # characters around a number in which a word tells that it is an age


def with_relations(spots: list[Spot], left: str, within: str, request: Request) -> list[Spot]:
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
            kept[-1] = kept[-1].changed(relation=relation)
        else:
            pending.append(relation)
    for relation in pending:
        kept = _given(kept, relation, request)
    return kept


def _given(spots: list[Spot], relation: Relation, request: Request) -> list[Spot]:
    """The relation of what is asked for itself, or of what is named later."""
    if spots:
        return [spots[0].changed(relation=relation), *spots[1:]]
    kind = request.target_kind()
    if not kind or kind == "patient":
        return [Spot(0, 0, relation.anchor)]
    return [Spot(0, 0, Condition(kind, relation=relation))]


def with_window(
    spots: list[Spot], left: str, at: tuple[int, int], window: Window, request: Request
) -> list[Spot]:
    """Gives a time span, said at a place, to the thing it was said of.

    It goes to the kind of record that the nearest words speak of; where nothing of the kind was
    named, the span alone is a condition.
    """
    asked = [c.kind for c in request.conditions if c.kind != "patient"] or [request.target_kind()]
    kind = cue_before(left, *at) or _nearest_kind(spots, at[0]) or asked[-1]
    begin, end = sentence_around(left, at[0])
    same = [n for n, s in enumerate(spots) if s.condition.kind == kind and begin <= s.start < end]
    if same:
        nearest = min(same, key=lambda n: abs(spots[n].start - at[0]))
        return [s.changed(window=window) if n == nearest else s for n, s in enumerate(spots)]
    return [*spots, Spot(*at, Condition(_timed(kind), window=window))]


def with_bound(
    spots: list[Spot], said: str, at: tuple[int, int], bound: Comparison, request: Request
) -> list[Spot]:
    """Gives a bound on a number, said at a place, to the test, vital sign or age it is of."""
    index = _measured(spots, said, at[0])
    if index is not None:
        had = spots[index].condition.bounds
        bounded = spots[index].changed(bounds=(*had, bound))
        return [*spots[:index], bounded, *spots[index + 1 :]]
    if _AGED.search(said[max(0, at[0] - _NEAR) : at[1] + _NEAR]):
        return [*spots, Spot(*at, Condition("admission", column="age", bounds=(bound,)))]
    if request.target_kind() in ("lab", "vital"):
        return [*spots, Spot(*at, Condition(request.target_kind(), bounds=(bound,)))]
    return spots


def _timed(kind: str) -> str:
    """The kind of record whose time is meant: patients have none but their visits'."""
    return kind if kind not in ("", "patient") else "admission"


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


def find_bounds(left: str) -> list[tuple[int, int, Comparison]]:
    """The bounds on numbers; those that are part of a longer one do not count."""
    found: list[tuple[int, int, Comparison]] = []
    for operator, said in words_for("bounds").items():
        for match in said.finditer(left):
            numbers = [n for n in match.groups() if n]
            if not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((*match.span(), Comparison(operator, float(numbers[0]))))
    return sorted(found, key=lambda each: each[0])
