"""Aligns a question with its SQL: which literals and times of the query the question names."""

from collections.abc import Collection, Sequence

from sqlglot import exp

from wardround.agents.parser.question_reader import Reading, time_role
from wardround.agents.parser.sql_forms import FillOrder, Slot, SqlForm, first_or_last
from wardround.agents.parser.sql_skeletons import Literal, Skeleton, slot_marker
from wardround.ehr.times import TimeFilter


def align(
    skeleton: Skeleton,
    literals: Sequence[Literal],
    reading: Reading,
    spoken_contexts: Collection[str],
) -> tuple[SqlForm, FillOrder] | None:
    """Replace the literals that the question names by slots.

    Args:
        skeleton: The query without times; its tree is changed unless None is returned.
        literals: The literals of its tree.
        reading: The question.
        spoken_contexts: The contexts of numbers that questions name.

    Returns:
        None where the query has a patient or a date that the question does not name.
    """
    named = [_index_of(literal, reading, spoken_contexts) for literal in literals]
    times = _time_indices(skeleton.filters, reading)
    if times is None or any(
        at is None and literal.domain and _must_be_named(literal.node, reading)
        for at, literal in zip(named, literals, strict=True)
    ):
        return None
    slots, order = _insert_markers(literals, named)
    pairs = list(zip(skeleton.filters, times, strict=True))
    roles = tuple("" if at is None else time_role(filter) for filter, at in pairs)
    constants = tuple((index, filter) for index, (filter, at) in enumerate(pairs) if at is None)
    sql = skeleton.tree.sql(skeleton.dialect)
    form = SqlForm(sql, slots, roles, constants, skeleton.dialect)
    return form, FillOrder(order, tuple(at for at in times if at is not None))


def _insert_markers(
    literals: Sequence[Literal], named: Sequence[int | None]
) -> tuple[tuple[Slot, ...], tuple[int, ...]]:
    """Put markers into the tree; equal values of one domain share a slot."""
    slots: list[Slot] = []
    order: list[int] = []
    for literal, at in zip(literals, named, strict=True):
        if at is None:
            continue
        slot = Slot(literal.domain, literal.context)
        known = list(zip(slots, order, strict=True))
        if (slot, at) not in known:
            slots.append(slot)
            order.append(at)
            known.append((slot, at))
        literal.node.replace(slot_marker(known.index((slot, at))))
    return tuple(slots), tuple(order)


def _must_be_named(node: exp.Literal, reading: Reading) -> bool:
    """True for numbers, and for texts that the question has but that were not found in it."""
    return not node.is_string or node.name.lower() in reading.question.lower()


def _index_of(literal: Literal, reading: Reading, spoken_contexts: Collection[str]) -> int | None:
    name = literal.node.name.lower()
    if literal.domain:
        names = [
            mention.values.get(literal.domain, ("",))[0].lower() for mention in reading.mentions
        ]
        return names.index(name) if name in names else None
    values = [number.value for number in reading.numbers]
    if literal.context not in spoken_contexts or float(name) not in values:
        return None
    return values.index(float(name))


def _time_indices(filters: Sequence[TimeFilter], reading: Reading) -> tuple[int | None, ...] | None:
    """For each filter the index of the question's time, or None for a constant without a date."""
    free = list(range(len(reading.times)))
    indices: list[int | None] = []
    for filter in filters:
        at = next((at for at in free if _is_same_time(reading.times[at].filter, filter)), None)
        if at is None and filter.values:
            return None
        indices.append(at)
        if at is not None:
            free.remove(at)
    return tuple(indices)


def _is_same_time(named: TimeFilter, meant: TimeFilter) -> bool:
    """True if two times are equal, or the first or last of visits and of rows alike."""
    if named.template.id == meant.template.id:
        return dict(named.values) == dict(meant.values)
    return first_or_last(named) != "" and first_or_last(named) == first_or_last(meant)
