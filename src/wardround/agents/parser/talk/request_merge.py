"""Merges the conditions of a sentence into a request: adds, replaces, narrows or drops them."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from wardround.agents.parser.talk.request import Clause, Kind, Request
from wardround.ehr.query import Bound, Condition
from wardround.ehr.query.model import Which
from wardround.ehr.terms import generics
from wardround.ehr.terms.classes import members

_OF_PEOPLE = ("patient", "admission")  # kinds of record that describe people
_THINGS = ("name", "class")  # columns that name the thing itself


def without_superseded(request: Request, new: Sequence[Clause], restates_goal: bool) -> Request:
    """The request without conditions of the opening that a sentence makes more precise.

    Args:
        request: The request before the sentence.
        new: The conditions of the sentence.
        restates_goal: Whether the sentence states the whole goal.
    """
    if restates_goal and new:
        return replace(request, conditions=tuple(c for c in request.conditions if not c.opening))
    kinds = {c.kind for c in new if c.phrase and c.kind not in _OF_PEOPLE}
    result = (c for c in request.conditions if not (c.tentative and c.kind in kinds))
    return replace(request, conditions=tuple(result))


def without_unfounded(request: Request) -> Request:
    """The request without tentative conditions that match no stored value, if others remain."""
    result = tuple(c for c in request.conditions if not c.tentative or c.stored != ())
    named = any(c.phrase and c.kind not in _OF_PEOPLE for c in result)
    return replace(request, conditions=result) if named else request


def without_dropped(request: Request, named: Sequence[Clause]) -> Request:
    """The request without the conditions to drop; others stay."""
    gone = {(c.kind, c.column) for c in named if c.is_negated}
    things = {c.phrase for c in named if c.is_negated and c.phrase}
    result = tuple(c for c in request.conditions if not _is_dropped(c, gone, things))
    return replace(request, conditions=result)


def _is_dropped(old: Clause, gone: Collection[tuple[Kind, str]], things: Collection[str]) -> bool:
    if not old.phrase:
        return (old.kind, old.column) in gone and not things
    alike = any(thing in old.phrase or old.phrase in thing for thing in things)
    return (old.kind, old.column) in gone and alike


def merge_conditions(request: Request, new: Iterable[Clause], replacing: bool) -> Request:
    """The request with the conditions of a sentence added, or in place of its own."""
    result = list(request.conditions)
    for condition in _on_known_records(new, request.conditions):
        if condition.column == "excluded":
            result = _without(result, condition)
            continue
        if replacing and any(_rivals(old, condition) for old in request.part):
            part = [condition if _rivals(c, condition) else c for c in request.part]
            request = replace(request, part=tuple(part))
            continue
        known = _same_request(condition, result)
        if known is not None:
            result[known] = _updated(result[known], condition)
        elif not _contradicts(condition, [*result, *request.part]):
            single = request.conditions if _is_single(condition, request.target_kind()) else ()
            result = _added(result, condition, replacing, single)
    return replace(request, conditions=tuple(result))


def _added(
    result: list[Clause], condition: Clause, replacing: bool, single: Collection[Clause]
) -> list[Clause]:
    """The conditions with a new one added, or in place of a wider, a failed or a single one."""
    rivals = [c for c in result if _rivals(c, condition)]
    wider = [c for c in rivals if _is_wider(c, condition)]
    if not replacing:
        rivals = [c for c in rivals if c in single]
    if not condition.phrase or not (wider or rivals):
        return [*result, condition]
    old = (wider or rivals)[-1]
    new = _updated(condition, old)
    return [new if c == old else c for c in result]


def _is_single(new: Clause, target: Kind) -> bool:
    """True if a record of the kind that is asked for has one value alone, such as one route."""
    if new.either or not new.words.names:
        return False
    return new.column == "sex" or (new.kind == target and new.column not in _THINGS)


def _rivals(old: Clause, new: Clause) -> bool:
    """True if a new condition may replace an old one."""
    named = old.column in _THINGS and new.column in _THINGS
    alike = old.kind == new.kind and (named or old.column == new.column)
    return alike and bool(old.phrase) and not (old.is_negated or new.is_negated)


def _on_known_records(new: Iterable[Clause], known: Sequence[Clause]) -> list[Clause]:
    """Assign attributes without a name to the record named before ("only coughed-up sputum")."""
    new = list(new)
    named = {c.kind for c in new if c.column == "name"}
    return [_on_known_record(c, known) if c.kind not in named else c for c in new]


def _on_known_record(new: Clause, known: Sequence[Clause]) -> Clause:
    if new.column == "name" or new.is_negated:
        return new
    open_ = [c for c in known if c.kind == new.kind and c.column == "name" and not c.is_negated]
    return replace(new, record=open_[-1].record) if open_ else new


def _contradicts(new: Clause, result: Iterable[Clause]) -> bool:
    """True if a condition negates one that is asked for; then it means only one sort of it."""
    return new.is_negated and any(
        (c.kind, c.column, _singular(c.phrase)) == (new.kind, new.column, _singular(new.phrase))
        and not c.is_negated
        for c in result
    )


def _singular(phrase: str) -> str:
    return phrase.removesuffix("s")


def _is_wider(old: Clause, new: Clause) -> bool:
    """True if a condition narrows an old one: "cancer", then "lung cancer"."""
    if old.column == "class":
        return new.column == "name" and not new.is_negated and _is_member(new.phrase, old.phrase)
    ends = new.phrase.endswith(f" {old.phrase}")
    return ends and not new.is_negated and old.column == new.column


def _is_member(drug: str, drugs: str) -> bool:
    """True if a drug, by any of its names, belongs to a class."""
    return not {drug, *generics(drug)}.isdisjoint(members(drugs))


def _without(result: list[Clause], excluded: Clause) -> list[Clause]:
    """Exclude a drug from its class if that is a condition, else from the patients' records."""
    by_class = [c for c in result if c.column == "class" and not c.is_negated]
    classes = [c for c in by_class if _is_member(excluded.phrase, c.phrase)]
    if not classes:
        return [*result, replace(excluded, column="name")]
    old = classes[-1]
    new = old.worded(without=(*old.words.without, excluded.phrase))
    return [new if c == old else c for c in result]


def without_excluded(condition: Clause, excluded: Iterable[Clause]) -> Clause:
    """A condition on several drugs without the excluded ones."""
    gone = {name for each in excluded for name in (each.phrase, *generics(each.phrase))}
    link = condition.link
    texts = tuple(text for text in condition.stored or () if text not in gone)
    return replace(condition, link=link and link._replace(texts=texts))


def _same_request(condition: Clause, result: list[Clause]) -> int | None:
    """The index of the same condition; a bare time or limit belongs to the last of its kind."""
    for index in reversed(range(len(result))):
        old = result[index]
        if old.kind != condition.kind or old.is_negated != condition.is_negated:
            continue
        if old.column == condition.column and old.phrase == condition.phrase:
            if _one_record(old, condition):
                return index
            continue
        bare = not condition.phrase and condition.column == "name" and not condition.is_negated
        if bare and condition.kind not in ("admission", "culture"):
            return index
    return None


def _one_record(old: Clause, new: Clause) -> bool:
    """True if two conditions on a thing are on one record.

    An organism may grow in two cultures, and the last value is another condition than any value.
    """
    elsewhere = old.kind == "culture" and old.record != new.record
    is_same_occurrence = _occurrence(old.condition) == _occurrence(new.condition)
    return not elsewhere and (is_same_occurrence or not new.condition.bounds)


def _occurrence(condition: Condition) -> Which:
    return condition.which if condition.which != "total" else "any"


def _updated(old: Clause, new: Clause) -> Clause:
    """The old condition with the details of the new one."""
    first, second = old.condition, new.condition
    condition = replace(
        first,
        bounds=_bounds(first, second),
        which=second.which if second.which != "any" else first.which,
        periods=second.periods or first.periods,
        relation=second.relation or first.relation,
        is_negated=second.is_negated or first.is_negated,
        is_in_icu=second.is_in_icu or first.is_in_icu,
    )
    anchor = new.anchor if second.relation else old.anchor
    updated = replace(old, condition=condition, anchor=anchor, either=new.either or old.either)
    updated = replace(updated, ever=old.ever or new.ever)
    is_widened = new.words.has_past and not old.words.has_past
    return updated.worded(has_past=True) if is_widened else updated


def _bounds(old: Condition, new: Condition) -> tuple[Bound, ...]:
    """The new bounds, and the old ones on the other side unless no number meets both."""
    sides = {bound.operator[0] for bound in new.bounds}
    other_bounds = [bound for bound in old.bounds if bound.operator[0] not in sides]
    both = (*other_bounds, *new.bounds)
    low = max((b.number for b in both if b.operator[0] == ">"), default=-math.inf)
    high = min((b.number for b in both if b.operator[0] == "<"), default=math.inf)
    return both if low <= high else new.bounds


def on_visit(request: Request) -> Request:
    """The request with relations restricted to one hospital visit, if it is about one."""
    for condition in request.conditions if request.same_visit else ():
        relation = condition.condition.relation
        if relation and relation.scope != "admission":
            placed = condition.changed(relation=replace(relation, scope="admission"))
            request = request.with_condition(condition, placed)
    return request
