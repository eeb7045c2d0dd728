"""Putting what a turn says into the request: added to it, or in place of what was there."""

from collections.abc import Iterable
from dataclasses import replace

from wardround.agents.keyword.request import Condition, Request


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
