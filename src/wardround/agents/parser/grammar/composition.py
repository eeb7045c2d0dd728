"""Composes the items of a question into a query, or names what it does not understand.

A condition is of the record asked for, of its stay or of its patient.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from wardround.agents.parser.grammar.condition_state import (
    Clause,
    NotRecordedError,
    NotUnderstoodError,
)
from wardround.agents.parser.grammar.conditions import read_conditions
from wardround.agents.parser.grammar.goal_items import EVENTS, STAYS
from wardround.agents.parser.grammar.goals import find_goal
from wardround.agents.parser.grammar.groups import find_group, grouped
from wardround.agents.parser.grammar.lexicon import HARMLESS
from wardround.agents.parser.grammar.query_check import PERSONAL, check_query, condition_item
from wardround.agents.parser.grammar.tagger import Item, item_links
from wardround.ehr.query import (
    Bound,
    Condition,
    Goal,
    Links,
    Period,
    Query,
    Relation,
    link_condition,
)
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role, Views
from wardround.ehr.times import TimeFilter
from wardround.ehr.times.model import Calendar

_OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "=": "<>"}

_Placed: TypeAlias = tuple[Goal, Sequence[Clause], Sequence[Clause]]

_BLANK = {HARMLESS: ("",)}

_OF_PATIENT = ("patient", "sex", "death", "alive", "current")
_OF_STAY = ("age", "length")
_STAYS = ("admission", "icu")


def compose(items: Sequence[Item], first_word: str, records: Views) -> Query:
    """The query of a question, whose words are still to be linked.

    Args:
        items: The tagged question.
        first_word: Its first word that does not frame a request.
        records: The records of the database.

    Raises:
        NotUnderstoodError: A word of the question fits nowhere.
    """
    if unknown := [item for item in items if item.is_unknown]:
        raise NotUnderstoodError(*unknown)
    group = find_group(items)
    if group:
        items = [replace(i, meanings=_BLANK) if n in group.used else i for n, i in enumerate(items)]
    best = find_goal(items, first_word, group, records)
    if best is None:
        raise NotUnderstoodError()
    goal = grouped(best.goal, group, records) if group and not best.goal.per else best.goal
    conditions = read_conditions(items, best.used, goal)
    conditions = _on_one_record(_with_times(conditions, goal, items), item_links(items))
    conditions = with_sequels(conditions, goal, records, items)
    goal, whole, part = _placed(goal, conditions, items)
    whole, part = (with_ages(each, goal, records, items) for each in (whole, part))
    check_query(goal, (*whole, *part), records, items)
    return scoped_query(goal, whole, part, records, items)


def _with_times(conditions: Sequence[Clause], goal: Goal, items: Sequence[Item]) -> list[Clause]:
    """Attach each time to the condition before it, or to the one after it."""
    placed = [condition for condition in conditions if condition.kind != "time"]
    for time in (condition for condition in conditions if condition.kind == "time"):
        able = [n for n, item in enumerate(placed) if item.kind not in PERSONAL]
        before = [n for n in able if placed[n].first < time.first]
        if not able and goal.of not in ("patient", ""):
            placed.append(time.changed(kind=goal.of))
            continue
        if not able:
            raise NotUnderstoodError(condition_item(items, time))
        at = before[-1] if before else able[0]
        periods = (*placed[at].condition.periods, *time.condition.periods)
        if _are_apart(periods):
            raise NotUnderstoodError(condition_item(items, time))
        placed[at] = placed[at].changed(periods=periods)
    return placed


def _are_apart(periods: Sequence[Period]) -> bool:
    """True for two dates, of which a record can have one only: "from 2100-01-01 to 2100-02-01"."""
    dates = [
        each.filter.template.id
        for each in periods
        if isinstance(each.filter, TimeFilter)
        and isinstance(each.filter.template.meaning, Calendar)
        and each.filter.template.meaning.comparison == "="
        and not each.is_negated
    ]
    return len(dates) != len(set(dates))


def _on_one_record(clauses: Sequence[Clause], links: Links) -> list[Clause]:
    """Merge conditions on two columns of one record, such as a drug and its route."""
    merged: list[Clause] = []
    for clause in clauses:
        before = merged[-1] if merged else None
        if before and _may_be_one_record(before.condition, clause.condition):
            together = before.changed(also=clause.condition.values)
            merged[-1] = replace(together, last=max(before.last, clause.last))
        elif not any(_is_repeated(clause, earlier, links) for earlier in merged):
            merged.append(clause)
    return merged


def _is_repeated(clause: Clause, before: Clause, links: Links) -> bool:
    """True for a test that is named again: "how heavy was the heaviest patient"."""
    is_test = clause.kind in ("lab", "vital") and clause.order == before.order
    both = (link_condition(each.condition, links) for each in (clause, before))
    return is_test and next(both) == next(both)


def _may_be_one_record(condition: Condition, following: Condition) -> bool:
    columns = [role.column for part in (condition, following) for role, _ in part.values]
    is_plain = not (following.is_negated or following.count or following.bounds or condition.also)
    return (
        condition.kind == following.kind == "drug"
        and len(columns) == len(set(columns))
        and is_plain
    )


def _placed(goal: Goal, conditions: Sequence[Clause], items: Sequence[Item]) -> _Placed:
    """The goal, its conditions, and those of the part of a share."""
    if goal.shape in ("share", "ratio"):
        if not conditions:
            raise NotUnderstoodError()
        if len(conditions) > 1 and not _begins_predicate(conditions, items):
            raise NotUnderstoodError(condition_item(items, conditions[-1]))
        return goal, conditions[:-1], conditions[-1:]
    if goal.of == "":
        events = [
            condition.kind for condition in conditions if condition.kind not in (*PERSONAL, "death")
        ]
        if len(set(events)) != 1:
            raise NotUnderstoodError()
        goal = replace(goal, of=events[0])
    return goal, [_of_goal(condition, goal) for condition in conditions], ()


def _begins_predicate(conditions: Sequence[Clause], items: Sequence[Item]) -> bool:
    """True if a verb, and no "and", sets the last condition apart: "of women over 65 who died"."""
    before, last = conditions[-2], conditions[-1]
    own_sentence = condition_item(items, last).sentence
    between = [
        item
        for item in items
        if before.last <= item.first < last.last and item.sentence == own_sentence
    ]
    is_joined = any(item.means("link") for item in between)
    verbs = [
        item for item in between if item.means("verb") or item.means("event") or item.is_finite
    ]
    return bool(verbs) and not is_joined


def _of_goal(clause: Clause, goal: Goal) -> Clause:
    """The beginning and end of ICU stays where these are asked for."""
    columns = {role.column for role, texts in clause.condition.values if not texts}
    is_event = clause.kind == "admission" and bool(columns & {"time", "finish"})
    return clause.changed(kind="icu") if goal.of == "icu" and is_event else clause


def with_ages(
    conditions: Sequence[Clause], goal: Goal, records: Views, items: Sequence[Item]
) -> list[Clause]:
    """The conditions with each age at the time of an event, where births are known.

    It is the age at admission if the question says so; else at the record or stay that is asked
    for, else at the first event behind it or before it, else the age of now. The stays of other
    layouts have an age of their own.

    Raises:
        NotUnderstoodError: An age is negated that has two limits.
    """
    if records.has("admission", "age") or not records.has("patient", "birth"):
        return list(conditions)
    placed = [condition for condition in conditions if condition.kind != "age"]
    for age in (condition for condition in conditions if condition.kind == "age"):
        bounds = _bounds(age, items)
        events = [n for n, each in enumerate(placed) if _is_event(each)]
        behind = [n for n in events if placed[n].first > age.first]
        if goal.of != "admission" and any(item.means("aged_at") for item in items):
            placed.append(replace(age, condition=Condition("admission", ages=bounds)))
        elif goal.of in (*EVENTS, *STAYS):
            placed.append(replace(age, condition=Condition(goal.of, ages=bounds)))
        elif events:
            at = (behind or events)[0]
            placed[at] = placed[at].changed(ages=(*placed[at].condition.ages, *bounds))
        else:
            now = Condition("patient", bounds=bounds, measured="age")
            placed.append(replace(age, condition=now))
    return placed


def _bounds(age: Clause, items: Sequence[Item]) -> tuple[Bound, ...]:
    limits = age.condition.bounds
    if not age.condition.is_negated:
        return limits
    if len(limits) > 1:
        raise NotUnderstoodError(condition_item(items, age))
    return tuple(replace(each, operator=_OPPOSITE[each.operator]) for each in limits)


def _is_event(clause: Clause) -> bool:
    condition = clause.condition
    return condition.kind in EVENTS and not condition.is_negated and not condition.count


def with_sequels(
    conditions: Sequence[Clause], goal: Goal, records: Views, items: Sequence[Item]
) -> list[Clause]:
    """Make an event behind "after" or "before" the anchor of the event that it places.

    Without an event before it, it places the records that are asked for. If one of the two is known
    only to the day, the same day counts.

    Raises:
        NotUnderstoodError: The events are ambiguous, or one has no time of its own.
    """
    at = next((n for n, condition in enumerate(conditions) if condition.order), None)
    if at is None:
        return list(conditions)
    sequel, before, rest = conditions[at], conditions[:at], conditions[at + 1 :]
    events = [condition for condition in before if condition.kind not in _OF_PERSON]
    placed = events[-1] if events else replace(sequel, condition=Condition(goal.of), order="")
    both = placed.condition, sequel.condition
    if (
        rest
        or len(events) > 1
        or placed.kind not in EVENTS
        or sequel.kind not in EVENTS
        or any(condition.periods or condition.count for condition in both)
        or sequel.condition.is_negated
    ):
        raise NotUnderstoodError(next(item for item in items if item.first == sequel.first))
    others = [condition for condition in before if condition is not placed]
    by_day = bool({placed.kind, sequel.kind} & records.dated)
    relation = Relation(sequel.order or "after", sequel.condition, by_day=by_day)
    return [*others, placed.changed(relation=relation)]


_OF_PERSON = ("sex", "age", "patient", "admission")


def scoped_query(
    goal: Goal,
    conditions: Sequence[Clause],
    part: Sequence[Clause],
    records: Views,
    items: Sequence[Item],
) -> Query:
    """The query of a goal and the conditions read, each with its scope.

    Raises:
        NotRecordedError: The records do not tell the stay or patient of a condition.
    """
    base = Query(goal, ()).base
    clauses = (*conditions, *part)
    has_stay = base == "patient" and any(_is_of_stay(clause.condition) for clause in clauses)
    scoped: tuple[list[Condition], list[Condition]] = ([], [])
    for n, clause in enumerate(clauses):
        scope = _scope(clause.condition, base, has_stay)
        if scope != "record" and base != "patient" and not records.has(base, scope):
            raise NotRecordedError(Role(base, scope), condition_item(items, clause))
        item = _scoped(clause.condition, base, scope)
        is_apart = item.kind == scope == "admission" and item.is_negated and item.values
        scoped[n >= len(conditions)].extend(_with_own_period(item) if is_apart else [item])
    return Query(goal, tuple(scoped[0]), tuple(scoped[1]))


def _with_own_period(condition: Condition) -> list[Condition]:
    """A stay that is not of a type but of a time: only its type is negated."""
    if not condition.periods:
        return [condition]
    when = Condition(condition.kind, periods=condition.periods, scope=condition.scope)
    return [replace(condition, periods=()), when]


def _scope(condition: Condition, base: str, has_stay: bool) -> Scope:
    if _is_of_row(condition, base):
        return "record"
    if base == "patient":
        is_linked = (
            has_stay and _is_record(condition) and not (condition.is_negated or condition.count)
        )
        return "admission" if is_linked or _is_of_stay(condition) else "patient"
    if any(role.column == "stay" for role, _ in condition.values) and not condition.count:
        return "stay"
    is_met_by_stay = _is_record(condition) if base == "admission" else _is_of_stay(condition)
    return "admission" if is_met_by_stay else "patient"


def _is_of_row(condition: Condition, base: str) -> bool:
    """True if a record itself meets a condition, rather than its stay or its patient."""
    columns = {"admission": ("current", *_OF_STAY), "icu": ("current", "length")}
    return condition.count is None and condition.kind in (base, *columns.get(base, ()))


def _is_record(condition: Condition) -> bool:
    """True if a condition on a stay is met by a record of that stay."""
    return condition.kind not in (*_OF_PATIENT, *_OF_STAY, "admission")


def _is_of_stay(condition: Condition) -> bool:
    """True for attributes of a hospital stay, such as an age or a marital status."""
    if condition.count:
        return False
    if condition.kind in _OF_STAY:
        return True
    is_event = any(not texts for _, texts in condition.values)
    return (
        condition.kind == "admission"
        and bool(condition.values or condition.periods)
        and not (condition.is_negated and is_event)
    )


def _scoped(condition: Condition, base: str, scope: Scope) -> Condition:
    """The condition with its scope, and the kind of record that its age or length is of."""
    if condition.kind == "age":
        return replace(condition, kind="admission", measured="age", scope=scope)
    if condition.kind == "length":
        kind = base if base in _STAYS else "admission"
        return replace(condition, kind=kind, measured="length", scope=scope)
    return replace(condition, scope=scope)
