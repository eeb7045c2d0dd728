"""Groups training pairs into kinds of questions, each with the SQL forms that answer it."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.pairs import Pair
from wardround.agents.parser.columns import ColumnTypes
from wardround.agents.parser.question_reader import Reading, time_role
from wardround.agents.parser.sql.canonical import KindDescription, describe, outline
from wardround.agents.parser.sql.forms import FillOrder, Slot, SqlForm, Variant, first_or_last
from wardround.agents.parser.sql.skeletons import (
    Literal,
    Skeleton,
    literals,
    skeleton_of,
    slot_marker,
)
from wardround.agents.parser.training.slot_rules import ShapeGroup, SlotRules
from wardround.ehr.times import TimeFilter

# Questions of a shape to align before giving up on one that names all its query needs.
_ALIGNED = 4


class QuestionKinds(NamedTuple):
    """The kinds of questions.

    Attributes:
        descriptions: The kinds, by number.
        variants: The SQL forms of all kinds.
        of_pairs: The kind of each pair; None where its SQL could not be aligned.
    """

    descriptions: list[KindDescription]
    variants: list[Variant]
    of_pairs: list[int | None]


class _FormCounts(NamedTuple):
    """The common structure of the pairs of one form."""

    kind: int
    wording: str
    orders: Counter[FillOrder]
    times: Counter[tuple[str, ...]]
    numbers: set[tuple[int, float]]

    def variant(self, form: SqlForm) -> Variant:
        return Variant(
            form,
            self.kind,
            max(sorted(self.orders), key=lambda order: self.orders[order]),
            _usual_times(form, self.times),
            self.wording,
            _by_slot(form, self.numbers),
        )


def find_kinds(
    groups: Sequence[ShapeGroup],
    pairs: Sequence[Pair],
    readings: Sequence[Reading],
    columns: ColumnTypes,
    rules: SlotRules,
) -> QuestionKinds:
    """Find the kinds of the pairs, numbered in the order of their first pair."""
    numbering = _KindNumbering(columns)
    forms: dict[SqlForm, _FormCounts] = {}
    of_pairs: list[int | None] = [None] * len(pairs)
    for group in groups:
        aligned = _aligned(group, pairs, readings, columns, rules)
        if not aligned:
            continue
        form, order, member = aligned
        if form not in forms:
            wording = " ".join(readings[member].masked)
            forms[form] = _FormCounts(numbering.number(form), wording, Counter(), Counter(), set())
        counts = forms[form]
        counts.orders[order] += len(group.members)
        counts.numbers.update(_slot_numbers(form, order, readings[member]))
        ids = [filter.template.id for filter in group.skeleton.filters]
        counts.times[tuple(id for id, role in zip(ids, form.roles, strict=True) if role)] += 1
        for at in group.members:
            of_pairs[at] = counts.kind
    variants = [counts.variant(form) for form, counts in forms.items()]
    return QuestionKinds(numbering.descriptions, variants, of_pairs)


class _KindNumbering:
    """Numbers kinds in the order in which their forms come."""

    def __init__(self, columns: ColumnTypes) -> None:
        self._columns = columns
        self._by_name: dict[str, int] = {}
        self._by_outline: dict[str, int] = {}
        self.descriptions: list[KindDescription] = []

    def number(self, form: SqlForm) -> int:
        text = outline(form)
        if text not in self._by_outline:
            description = describe(form, self._columns)
            if description.name not in self._by_name:
                self._by_name[description.name] = len(self.descriptions)
                self.descriptions.append(description)
            self._by_outline[text] = self._by_name[description.name]
        return self._by_outline[text]


def _slot_numbers(form: SqlForm, order: FillOrder, reading: Reading) -> Iterator[tuple[int, float]]:
    """The numbers of a question, each with the slot that takes it."""
    for slot, at in enumerate(order.slots):
        if form.slots[slot].domain is None:
            yield slot, reading.numbers[at].value


def _by_slot(
    form: SqlForm, numbers: Collection[tuple[int, float]]
) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(sorted(value for at, value in numbers if at == slot))
        for slot in range(len(form.slots))
    )


def _usual_times(form: SqlForm, times: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """The templates that tell times of one role apart ("today", "yesterday")."""
    usual = max(sorted(times), key=lambda ids: times[ids])
    roles = [role for role in form.roles if role]
    return tuple(id if roles.count(role) > 1 else "" for id, role in zip(usual, roles, strict=True))


def _aligned(
    group: ShapeGroup,
    pairs: Sequence[Pair],
    readings: Sequence[Reading],
    columns: ColumnTypes,
    rules: SlotRules,
) -> tuple[SqlForm, FillOrder, int] | None:
    """The form of the first pair that can be aligned, and the number of that pair."""
    for at, member in enumerate(group.members[:_ALIGNED]):
        skeleton = group.skeleton
        if at > 0:
            skeleton = skeleton_of(pairs[member].sql or "", skeleton.dialect)
        constants = literals(skeleton.tree, columns, rules.fixed)
        aligned = align(skeleton, constants, readings[member], rules.spoken_contexts)
        if aligned:
            return *aligned, member
    return None


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
