"""Putting what a turn says into the request: added to it, or in place of what was there."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from wardround.agents.keyword.request import Condition, Kind, Request
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members


def settled(request: Request, new: Iterable[Condition], afresh: bool) -> Request:
    """The request without the tentative conditions that a turn says more precisely.

    Args:
        request: what was asked before.
        new: the conditions of the turn.
        afresh: whether the turn says the whole goal, not a part of it.
    """
    kinds = {c.kind for c in new if c.phrase and c.kind not in ("admission", "patient")}
    kept = (c for c in request.conditions if not (c.tentative and _outdone(c, kinds, afresh)))
    return replace(request, conditions=tuple(kept))


def _outdone(old: Condition, kinds: Collection[Kind], afresh: bool) -> bool:
    return old.kind in kinds or (afresh and bool(kinds))


def founded(request: Request) -> Request:
    """The request without tentative conditions called like nothing stored, if others are left."""
    kept = tuple(c for c in request.conditions if not c.tentative or c.values != ())
    return replace(request, conditions=kept) if any(c.phrase for c in kept) else request


def merged(request: Request, new: Iterable[Condition], replacing: bool) -> Request:
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
        wider = [c for c in rivals if _is_wider(c, condition)]
        if condition.phrase and (wider or (replacing and rivals)):
            old = (wider or rivals)[-1]
            kept[kept.index(old)] = _updated(replace(condition, negated=condition.negated), old)
        else:
            kept.append(condition)
    return replace(request, conditions=tuple(kept))


def _is_wider(old: Condition, new: Condition) -> bool:
    """Whether the new thing is the old one made narrower: "cancer", then "lung cancer"."""
    if old.column == "class":
        return new.column == "name" and not new.negated and _is_member(new.phrase, old.phrase)
    ends = new.phrase.endswith(f" {old.phrase}")
    return ends and not new.negated and old.column == new.column


def _is_member(drug: str, drugs: str) -> bool:
    """Whether a drug, under any of its names, is of a class of drugs."""
    return not {drug, *generics(drug)}.isdisjoint(members(drugs))


def _without(kept: list[Condition], left_out: Condition) -> list[Condition]:
    """The conditions with a drug left out of its class, if asked for; else nobody may have it."""
    own = [c for c in kept if c.column == "class" and not c.negated]
    classes = [c for c in own if _is_member(left_out.phrase, c.phrase)]
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
