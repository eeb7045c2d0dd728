"""Putting what a sentence says into the request: added to it, or in place of what was there."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from wardround.agents.parser.talk.request import Bound, Condition, Kind, Request
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members

_OF_PEOPLE = ("patient", "admission")  # kinds of record that tell who, not what
_THINGS = ("name", "class")  # columns that name the thing itself


def settled(request: Request, new: Sequence[Condition], afresh: bool) -> Request:
    """The request without what opened the talk, as far as a sentence says it more precisely.

    Args:
        request: what was asked before.
        new: the conditions of the sentence.
        afresh: whether the sentence says the whole goal, not a part of it.
    """
    if afresh and new:
        return replace(request, conditions=tuple(c for c in request.conditions if not c.opening))
    kinds = {c.kind for c in new if c.phrase and c.kind not in _OF_PEOPLE}
    kept = (c for c in request.conditions if not (c.tentative and c.kind in kinds))
    return replace(request, conditions=tuple(kept))


def founded(request: Request) -> Request:
    """The request without tentative conditions called like nothing stored, if others are left."""
    kept = tuple(c for c in request.conditions if not c.tentative or c.values != ())
    named = any(c.phrase and c.kind not in _OF_PEOPLE for c in kept)
    return replace(request, conditions=kept) if named else request


def dropped(request: Request, named: Sequence[Condition]) -> Request:
    """The request without what is to be dropped; what else was named stays as it was."""
    gone = {(c.kind, c.column) for c in named if c.negated}
    things = {c.phrase for c in named if c.negated and c.phrase}
    kept = tuple(c for c in request.conditions if not _is_gone(c, gone, things))
    return replace(request, conditions=kept)


def _is_gone(old: Condition, gone: Collection[tuple[Kind, str]], things: Collection[str]) -> bool:
    if not old.phrase:
        return (old.kind, old.column) in gone and not things
    alike = any(thing in old.phrase or old.phrase in thing for thing in things)
    return (old.kind, old.column) in gone and alike


def merged(request: Request, new: Iterable[Condition], replacing: bool) -> Request:
    """The request with the conditions of a sentence added to, or put in place of, its own."""
    kept = list(request.conditions)
    for condition in _on_known_records(new, request.conditions):
        if condition.column == "excluded":
            kept = _without(kept, condition)
            continue
        known = _same(condition, kept)
        if known is not None:
            kept[known] = _updated(kept[known], condition)
        elif not _contradicts(condition, [*kept, *request.part]):
            kept = _added(kept, condition, replacing)
    return replace(request, conditions=tuple(kept))


def _added(kept: list[Condition], condition: Condition, replacing: bool) -> list[Condition]:
    """The conditions with a new one, or with it in place of a wider one or of what failed."""
    rivals = [c for c in kept if _rivals(c, condition)]
    wider = [c for c in rivals if _is_wider(c, condition)]
    if not condition.phrase or not (wider or (replacing and rivals)):
        return [*kept, condition]
    old = (wider or rivals)[-1]
    new = _updated(replace(condition, negated=condition.negated), old)
    return [new if c == old else c for c in kept]


def _rivals(old: Condition, new: Condition) -> bool:
    """Whether a new thing may stand in for an old one."""
    named = old.column in _THINGS and new.column in _THINGS
    alike = old.kind == new.kind and (named or old.column == new.column)
    return alike and bool(old.phrase) and not (old.negated or new.negated)


def _on_known_records(new: Iterable[Condition], known: Sequence[Condition]) -> list[Condition]:
    """Attributes said alone go to the record that was named before: "only coughed-up sputum"."""
    new = list(new)
    named = {c.kind for c in new if c.column == "name"}
    return [_on_known_record(c, known) if c.kind not in named else c for c in new]


def _on_known_record(new: Condition, known: Sequence[Condition]) -> Condition:
    if new.column == "name" or new.negated:
        return new
    open_ = [c for c in known if c.kind == new.kind and c.column == "name" and not c.negated]
    return replace(new, record=open_[-1].record) if open_ else new


def _contradicts(new: Condition, kept: Iterable[Condition]) -> bool:
    """Whether a thing is denied that is asked for: one sort of it is meant then, not the thing."""
    return new.negated and any(
        (c.kind, c.column, _singular(c.phrase)) == (new.kind, new.column, _singular(new.phrase))
        and not c.negated
        for c in kept
    )


def _singular(phrase: str) -> str:
    return phrase.removesuffix("s")


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


def left_out(condition: Condition, excluded: Iterable[Condition]) -> Condition:
    """A condition on one of several drugs without those that are excluded."""
    gone = {name for each in excluded for name in (each.phrase, *generics(each.phrase))}
    return replace(condition, values=tuple(v for v in condition.values or () if v not in gone))


def _same(condition: Condition, kept: list[Condition]) -> int | None:
    """Where the same thing was named before; a bare time or limit goes to the last of its kind."""
    for index in reversed(range(len(kept))):
        old = kept[index]
        if old.kind != condition.kind or old.negated != condition.negated:
            continue
        if old.column == condition.column and old.phrase == condition.phrase:
            if _one_record(old, condition):
                return index
            continue
        bare = not condition.phrase and condition.column == "name" and not condition.negated
        if bare and condition.kind not in ("admission", "culture"):
            return index
    return None


def _one_record(old: Condition, new: Condition) -> bool:
    """Whether two conditions of a thing are on one record.

    A germ may grow in two cultures, and the last value is one and any value another.
    """
    elsewhere = old.kind == "culture" and old.record != new.record
    return not elsewhere and (old.place == new.place or not new.bounds)


def _updated(old: Condition, new: Condition) -> Condition:
    """The old thing with what was newly said of it."""
    widened = new.past and not old.past
    return replace(
        old,
        values=None if widened else old.values,
        past=new.past or old.past,
        bounds=_bounds(old, new),
        place=new.place or old.place,
        total=new.total or old.total,
        window=new.window or old.window,
        relation=new.relation or old.relation,
        negated=new.negated or old.negated,
        either=new.either or old.either,
    )


def _bounds(old: Condition, new: Condition) -> tuple[Bound, ...]:
    """The new bounds, with the old ones that limit the other side."""
    sides = {bound.operator[0] for bound in new.bounds}
    return (*(bound for bound in old.bounds if bound.operator[0] not in sides), *new.bounds)


def on_visit(request: Request) -> Request:
    """The request with what must come before or after something else on the visit it is on."""
    for condition in request.conditions if request.same_visit else ():
        if condition.relation and not condition.relation.on_visit:
            relation = replace(condition.relation, on_visit=True)
            request = request.with_condition(condition, replace(condition, relation=relation))
    return request
