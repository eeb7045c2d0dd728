"""Attaches times, limits, negation and order to the mentions of a sentence."""

import re
from dataclasses import replace
from typing import Any

from wardround.agents.parser.talk.mention_finder import (
    Mention,
    nearest_cue,
    negated,
    with_conjunctions,
)
from wardround.agents.parser.talk.numbers import DAYS, NumberLimit, bounds_in_days, opposite_limit
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Clause, Kind, Request
from wardround.ehr.query import Between, Condition, Period, Relation, Span
from wardround.ehr.query.model import Which
from wardround.ehr.terms import generics, members

_AGED = re.compile(
    r"\b(?:aged?|years? old|years of age|older|younger)\b"
    r"|\b(?:wom[ae]n|m[ae]n|people|patients|adults|those|\|+|were|was)"
    r" (?:of|over|under|above|below|at least|at most)\b"
    r"|\b(?:wom[ae]n|m[ae]n|people|patients|adults|those|who) (?:who )?(?:were|was|are|is) (?=\d)"
)
_NEAR = 25  # characters around a number in which a cue makes it an age
_LASTED = re.compile(r"\b(?:last(?:ed|ing|s)?|long(?:er)?|short(?:er)?|spent|spend|stay\w*)\b")
_SUMMED = re.compile(r"\b(?:in all|in total|altogether|all together|overall|a total of|summed)\b")
_PLACED = re.compile(
    r"\b(?P<which>first|initial|earliest|last|latest|final|most recent)(?: \w+)?,? $"
)
_MEASURED = ("lab", "vital", "intake", "output")
_TESTED = (*_MEASURED, "culture")
_DRUG = ("drug", "name")
_VISIT_KINDS = ("icu", "transfer", "admission")


def with_negation(mentions: list[Mention], remaining: str) -> list[Mention]:
    """Negate mentions, and those listed with a negated one."""
    result: list[Mention] = []
    for mention, conjunction in with_conjunctions(mentions, remaining):
        is_after = result and result[-1].condition.is_negated and not conjunction
        is_said = negated(remaining, mention.start) and not (is_after and _is_fate(mention))
        is_negated = is_said or (conjunction and result[-1].condition.is_negated)
        if (
            is_negated
            and mention.condition.kind == "drug"
            and phrase("excluded").search(remaining[: mention.start])
        ):
            result.append(mention.stating(is_negated=True).changed(column="excluded"))
        else:
            is_not = mention.condition.is_negated ^ bool(is_negated)
            result.append(mention.stating(is_negated=is_not))
    return result


def _is_fate(mention: Mention) -> bool:
    """True for a death: in "patients without heparin died" the negation ends before it."""
    return (mention.condition.kind, mention.condition.column) == ("patient", "death")


def without_redundant_classes(mentions: list[Mention]) -> list[Mention]:
    """The mentions without classes that only describe a drug mentioned as well."""
    drugs = [
        s.condition.phrase for s in mentions if (s.condition.kind, s.condition.column) == _DRUG
    ]
    named = {name for drug in drugs for name in (drug, *generics(drug))}
    return [s for s in mentions if s.condition.column != "class" or named.isdisjoint(_members(s))]


def _members(mention: Mention) -> tuple[str, ...]:
    return members(mention.condition.phrase)


def with_alternatives(mentions: list[Mention], remaining: str, record: int) -> list[Mention]:
    """Mark alternatives: "A or B", and what follows "either"."""
    either = phrase("either").search(remaining) is not None
    result: list[Mention] = []
    for mention, conjunction in with_conjunctions(mentions, remaining):
        condition = mention.condition
        listed = conjunction == "or" and not condition.is_negated and bool(condition.phrase)
        if listed or (either and result and result[-1].condition.kind == mention.condition.kind):
            result[-1] = result[-1].changed(either=record)
            mention = mention.changed(either=record)
        result.append(mention)
    return result


def with_relations(
    mentions: list[Mention], remaining: str, within: Span | None, target: Kind
) -> list[Mention]:
    """Make mentions after "before" or "after" the relations of others."""
    result: list[Mention] = []
    pending: list[tuple[Clause, Relation]] = []
    for mention in mentions:
        order = phrase("order").search(remaining[: mention.start])
        if order is None or mention.condition.kind in ("patient", *_VISIT_KINDS):
            result.append(mention)
            continue
        later = order["order"] not in ("before", "prior to", "preceding")
        anchor = mention.condition.changed(which="first")
        relation = Relation("after" if later else "before", anchor.condition, within=within)
        if result and result[-1].condition.kind not in ("patient", "admission"):
            result[-1] = _with_anchor(result[-1], anchor, relation)
        else:
            pending.append((mention.condition, relation))
    for event, relation in pending:
        result = _with_relation(result, event, relation, target)
    return result


def _with_anchor(mention: Mention, anchor: Clause, relation: Relation) -> Mention:
    return mention.stating(relation=relation).changed(anchor=anchor)


def _with_relation(
    mentions: list[Mention], event: Clause, relation: Relation, target: Kind
) -> list[Mention]:
    """Attach a relation to the first event mentioned, or to the target."""
    anchor = event.changed(which="first")
    for n, mention in enumerate(mentions):
        if mention.condition.kind not in ("patient", *_VISIT_KINDS):
            return [*mentions[:n], _with_anchor(mention, anchor, relation), *mentions[n + 1 :]]
    if not target or target == "patient":
        return [*mentions, Mention(0, 0, event)]
    placed = Clause(Condition(target, relation=relation), anchor=anchor)
    return [*mentions, Mention(0, 0, placed)]


def with_window(
    mentions: list[Mention], remaining: str, at: tuple[int, int], window: Between, request: Request
) -> list[Mention]:
    """Attach a time window to the mention that it belongs to.

    It belongs to the kind of record with the nearest cue; without a mention of that kind the window
    is a condition by itself.
    """
    periods = (Period(window),)
    asked = [c.kind for c in request.conditions if c.kind != "patient"] or [request.target_kind()]
    kind = _timed(nearest_cue(remaining, *at) or _nearest_kind(mentions, at[0]) or asked[-1])
    kind = _measured_kind(mentions, request) if kind == "lab" else kind
    same = [n for n, mention in enumerate(mentions) if mention.condition.kind == kind]
    if same:
        nearest = min(same, key=lambda n: abs(mentions[n].start - at[0]))
        return _stating(mentions, nearest, periods=periods)
    column = "specimen" if kind == "culture" and not phrase("grew").search(remaining) else "name"
    return [*mentions, Mention(*at, Clause(Condition(kind, periods=periods), column=column))]


def with_limit(
    mentions: list[Mention], wording: str, limit: NumberLimit, request: Request
) -> list[Mention]:
    """Attach a limit to an age, a length, a test or an amount."""
    near = wording[max(0, limit.start - _NEAR) : limit.end + _NEAR]
    must_not = len(limit.bounds) == 1 and phrase("denied").search(wording[: limit.start])
    bare = opposite_limit(limit) if must_not else limit
    if limit.unit in DAYS:
        return _with_length(mentions, wording, bare) if _LASTED.search(wording) else mentions
    index = _measured(mentions, limit.start)
    if (
        limit.unit == "year"
        or (_AGED.search(near) and index is None)
        or _states_age(wording, limit)
    ):
        age = Clause(Condition("admission", bounds=bare.bounds), column="age")
        return [*mentions, Mention(*limit[:2], age)]
    if index is not None:
        return _with_bounds(mentions, index, wording, limit)
    if request.target_kind() in _MEASURED:
        number = Clause(Condition(request.target_kind(), bounds=limit.bounds))
        return [*mentions, Mention(*limit[:2], number)]
    return mentions


def _states_age(wording: str, limit: NumberLimit) -> bool:
    return re.search(r"\b(?:older|younger)\b", wording[limit.start : limit.end]) is not None


def _with_length(mentions: list[Mention], wording: str, limit: NumberLimit) -> list[Mention]:
    """Add a condition on the length of what is mentioned."""
    named = {mention.condition.kind: mention.condition for mention in mentions}
    kind = next((kind for kind in _VISIT_KINDS if kind in named), "admission")
    record = named[kind].record if kind in named else 0
    column = "hours" if limit.unit == "hour" else "length"
    bounds = limit.bounds if column == "hours" else bounds_in_days(limit)
    length = Clause(Condition(kind, bounds=bounds), column=column, record=record)
    return [*mentions, Mention(*limit[:2], length)]


def _with_bounds(
    mentions: list[Mention], index: int, wording: str, limit: NumberLimit
) -> list[Mention]:
    condition = mentions[index].condition.condition
    match = _PLACED.search(wording[: mentions[index].start])
    first = match is not None and match["which"] in ("first", "initial", "earliest")
    is_total = condition.kind in ("intake", "output") and _SUMMED.search(wording) is not None
    which: Which = ("first" if first else "last") if match else "total" if is_total else "any"
    bounds = (*condition.bounds, *limit.bounds)
    return _stating(mentions, index, bounds=bounds, which=which)


def _stating(mentions: list[Mention], index: int, **changes: Any) -> list[Mention]:
    return [*mentions[:index], mentions[index].stating(**changes), *mentions[index + 1 :]]


def _timed(kind: str) -> str:
    """The kind of record whose time counts; for patients that of their visits."""
    return kind if kind not in ("", "patient") else "admission"


def _measured_kind(mentions: list[Mention], request: Request) -> str:
    """The kind of record that was measured or tested: "the weight measured in May" is no lab's."""
    named = [m.condition.kind for m in mentions if m.condition.kind in _TESTED]
    return next(iter(named), request.target_kind() if request.target_kind() in _TESTED else "lab")


def _nearest_kind(mentions: list[Mention], position: int) -> str:
    events = [mention for mention in mentions if mention.condition.kind != "patient"]
    return min(events, key=lambda s: abs(s.start - position)).condition.kind if events else ""


def _measured(mentions: list[Mention], position: int) -> int | None:
    """The index of the measured mention nearest before a number, else nearest after it."""
    numbers = [n for n, mention in enumerate(mentions) if mention.condition.kind in _MEASURED]
    distance = {
        n: (mentions[n].start > position, abs(mentions[n].start - position)) for n in numbers
    }
    return min(numbers, key=lambda n: distance[n]) if numbers else None


def on_same_record(mentions: list[Mention], record: int) -> list[Mention]:
    """Mark the mentions of a sentence as on one record where they are of one kind."""
    return [
        mention._replace(condition=replace(mention.condition, record=record))
        for mention in mentions
    ]
