"""Giving times, limits and order to the things of a sentence that they were said of."""

import re
from dataclasses import replace
from typing import Any

from wardround.agents.parser.talk.mention_finder import Spot, chained, cue_before, negated
from wardround.agents.parser.talk.numbers import DAYS, Limit, denied, in_days
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Condition, Kind, Relation, Request, Window
from wardround.ehr.terms import generics, members

_AGED = re.compile(
    r"\b(?:aged?|years? old|years of age|older|younger)\b"
    r"|\b(?:wom[ae]n|m[ae]n|people|patients|adults|those|\|+|were|was)"
    r" (?:of|over|under|above|below|at least|at most)\b"
    r"|\b(?:wom[ae]n|m[ae]n|people|patients|adults|those|who) (?:who )?(?:were|was|are|is) (?=\d)"
)
_NEAR = 25  # characters around a number in which a word tells that it is an age
_LASTED = re.compile(r"\b(?:last(?:ed|ing|s)?|long(?:er)?|short(?:er)?|spent|spend|stay\w*)\b")
_SUMMED = re.compile(r"\b(?:in all|in total|altogether|all together|overall|a total of|summed)\b")
_PLACED = re.compile(
    r"\b(?P<which>first|initial|earliest|last|latest|final|most recent)(?: \w+)?,? $"
)
_MEASURED = ("lab", "vital", "intake", "output")
_DRUG = ("drug", "name")
_OF_VISITS = ("icu", "transfer", "admission")


def with_negation(spots: list[Spot], left: str) -> list[Spot]:
    """Things that must be absent; what is listed with them must be, too."""
    kept: list[Spot] = []
    for spot, joint in chained(spots, left):
        denied = negated(left, spot.start) or (joint and kept[-1].condition.negated)
        if (
            denied
            and spot.condition.kind == "drug"
            and phrase("excluded").search(left[: spot.start])
        ):
            kept.append(spot.changed(negated=True, column="excluded"))
        else:
            kept.append(spot.changed(negated=spot.condition.negated ^ bool(denied)))
    return kept


def without_descriptions(spots: list[Spot]) -> list[Spot]:
    """The things but for classes that only describe a drug named with them."""
    drugs = [s.condition.phrase for s in spots if (s.condition.kind, s.condition.column) == _DRUG]
    named = {name for drug in drugs for name in (drug, *generics(drug))}
    return [s for s in spots if s.condition.column != "class" or named.isdisjoint(_members(s))]


def _members(spot: Spot) -> tuple[str, ...]:
    return members(spot.condition.phrase)


def with_choices(spots: list[Spot], left: str, record: int) -> list[Spot]:
    """Things of which one is enough: "A or B", and what "either" stands before."""
    either = phrase("either").search(left) is not None
    kept: list[Spot] = []
    for spot, joint in chained(spots, left):
        listed = joint == "or" and not spot.condition.negated and bool(spot.condition.phrase)
        if listed or (either and kept and kept[-1].condition.kind == spot.condition.kind):
            kept[-1] = kept[-1].changed(either=record)
            spot = spot.changed(either=record)
        kept.append(spot)
    return kept


def with_relations(spots: list[Spot], left: str, within: str, target: Kind) -> list[Spot]:
    """Things said to come after or before another become that other's relation."""
    kept: list[Spot] = []
    pending: list[Relation] = []
    for spot in spots:
        order = phrase("order").search(left[: spot.start])
        if order is None or spot.condition.kind in ("patient", *_OF_VISITS):
            kept.append(spot)
            continue
        later = order["order"] not in ("before", "prior to", "preceding")
        relation = Relation("after" if later else "before", spot.condition, within)
        if kept and kept[-1].condition.kind not in ("patient", "admission"):
            kept[-1] = kept[-1].changed(relation=relation)
        else:
            pending.append(relation)
    for relation in pending:
        kept = _given(kept, relation, target)
    return kept


def _given(spots: list[Spot], relation: Relation, target: Kind) -> list[Spot]:
    """The relation of what is named later, or of what is asked for itself."""
    for n, spot in enumerate(spots):
        if spot.condition.kind not in ("patient", *_OF_VISITS):
            return [*spots[:n], spot.changed(relation=relation), *spots[n + 1 :]]
    if not target or target == "patient":
        return [*spots, Spot(0, 0, relation.anchor)]
    return [*spots, Spot(0, 0, Condition(target, relation=relation))]


def with_window(
    spots: list[Spot], left: str, at: tuple[int, int], window: Window, request: Request
) -> list[Spot]:
    """Gives a time span, said at a place, to the thing it was said of.

    It goes to the kind of record that the nearest words speak of; where nothing of the kind was
    named, the span alone is a condition.
    """
    asked = [c.kind for c in request.conditions if c.kind != "patient"] or [request.target_kind()]
    kind = cue_before(left, *at) or _nearest_kind(spots, at[0]) or asked[-1]
    same = [n for n, spot in enumerate(spots) if spot.condition.kind == kind]
    if same:
        return _changed(spots, min(same, key=lambda n: abs(spots[n].start - at[0])), window=window)
    return [*spots, Spot(*at, Condition(_timed(kind), window=window))]


def with_limit(spots: list[Spot], said: str, limit: Limit, request: Request) -> list[Spot]:
    """Gives a limit on a number to the age, the length, the test or the amount that it is of."""
    near = said[max(0, limit.start - _NEAR) : limit.end + _NEAR]
    must_not = len(limit.bounds) == 1 and phrase("denied").search(said[: limit.start])
    bare = denied(limit) if must_not else limit
    if limit.unit in DAYS:
        return _with_length(spots, said, bare) if _LASTED.search(said) else spots
    index = _measured(spots, limit.start)
    if limit.unit == "year" or (_AGED.search(near) and index is None) or _states_age(said, limit):
        return [*spots, Spot(*limit[:2], Condition("admission", column="age", bounds=bare.bounds))]
    if index is not None:
        return _with_bounds(spots, index, said, limit)
    if request.target_kind() in _MEASURED:
        return [*spots, Spot(*limit[:2], Condition(request.target_kind(), bounds=limit.bounds))]
    return spots


def _states_age(said: str, limit: Limit) -> bool:
    return re.search(r"\b(?:older|younger)\b", said[limit.start : limit.end]) is not None


def _with_length(spots: list[Spot], said: str, limit: Limit) -> list[Spot]:
    """A condition on how long what is spoken of lasted."""
    named = {spot.condition.kind: spot.condition for spot in spots}
    kind = next((kind for kind in _OF_VISITS if kind in named), "admission")
    record = named[kind].record if kind in named else 0
    column = "hours" if limit.unit == "hour" else "length"
    bounds = limit.bounds if column == "hours" else in_days(limit)
    return [*spots, Spot(*limit[:2], Condition(kind, column=column, bounds=bounds, record=record))]


def _with_bounds(spots: list[Spot], index: int, said: str, limit: Limit) -> list[Spot]:
    condition = spots[index].condition
    place = _PLACED.search(said[: spots[index].start])
    first = place is not None and place["which"] in ("first", "initial", "earliest")
    return _changed(
        spots,
        index,
        bounds=(*condition.bounds, *limit.bounds),
        place=("first" if first else "last") if place else "",
        total=condition.kind in ("intake", "output") and _SUMMED.search(said) is not None,
    )


def _changed(spots: list[Spot], index: int, **changes: Any) -> list[Spot]:
    return [*spots[:index], spots[index].changed(**changes), *spots[index + 1 :]]


def _timed(kind: str) -> str:
    """The kind of record whose time is meant: patients have none but their visits'."""
    return kind if kind not in ("", "patient") else "admission"


def _nearest_kind(spots: list[Spot], position: int) -> str:
    events = [spot for spot in spots if spot.condition.kind != "patient"]
    return min(events, key=lambda s: abs(s.start - position)).condition.kind if events else ""


def _measured(spots: list[Spot], position: int) -> int | None:
    """The test, vital sign or fluid named nearest before a number, else nearest after it."""
    numbers = [n for n, spot in enumerate(spots) if spot.condition.kind in _MEASURED]
    distance = {n: (spots[n].start > position, abs(spots[n].start - position)) for n in numbers}
    return min(numbers, key=lambda n: distance[n]) if numbers else None


def on_one_record(spots: list[Spot], record: int) -> list[Spot]:
    """The spots of a sentence, marked as being on one record where they are of one kind."""
    return [spot._replace(condition=replace(spot.condition, record=record)) for spot in spots]
