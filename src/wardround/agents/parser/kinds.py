"""Groups training pairs into kinds of questions, each with the SQL forms that answer it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wardround.agents.pairs import Pair
from wardround.agents.parser.alignment import FillOrder, SqlForm, align
from wardround.agents.parser.canonical import KindDescription, describe, outline
from wardround.agents.parser.columns import ColumnTypes, Domain
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.sql_skeletons import Skeleton, literals, shape, skeleton_of
from wardround.agents.parser.tokens import number, words
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect

# How many questions of a shape are aligned until one names all that its query needs.
_ALIGNED = 4

# Numbers in a context are slots if at least this share of the questions names them.
_MIN_NUMBER_SHARE = 0.5
# Texts of a column are slots if at least this share of the questions names them.
_MIN_TEXT_SHARE = 0.2


class Variant(NamedTuple):
    """An SQL form with the order in which questions fill it.

    Attributes:
        kind: The number of its kind.
        order: Which of a question's values, numbers and times each slot and place takes.
        usual_times: The usual template of each time whose role another time shares; "" elsewhere.
        wording: The masked wording of one of its questions.
        numbers: The numbers that each slot took in training.
    """

    form: SqlForm
    kind: int
    order: FillOrder
    usual_times: tuple[str, ...]
    wording: str
    numbers: tuple[tuple[float, ...], ...]


class ShapeGroup(NamedTuple):
    """Pairs whose SQL differs only in times and in what their questions name.

    Attributes:
        members: The numbers of the pairs.
        skeleton: The skeleton of the first pair's query.
    """

    members: list[int]
    skeleton: Skeleton


class SlotRules(NamedTuple):
    """Which literals of the queries are slots.

    Attributes:
        domains: The sets of values that questions name.
        fixed: The text columns whose values questions never name.
        spoken_contexts: The contexts of the numbers that questions name.
    """

    domains: tuple[Domain, ...]
    fixed: frozenset[str]
    spoken_contexts: frozenset[str]


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


def group_by_shape(pairs: Sequence[Pair], dialect: Dialect) -> list[ShapeGroup]:
    """Group pairs by the shape of their SQL, in the order of the pairs."""
    members: dict[str, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        if pair.sql is not None:
            members[shape(pair.sql, _naming(pair.question))].append(at)
    return [
        ShapeGroup(group, skeleton_of(pairs[group[0]].sql or "", dialect))
        for group in members.values()
    ]


def find_slot_rules(
    groups: Sequence[ShapeGroup], pairs: Sequence[Pair], columns: ColumnTypes
) -> SlotRules:
    """Find which literals questions name often enough to be slots."""
    by_column: dict[str, list[bool]] = defaultdict(list)
    by_context: dict[str, list[bool]] = defaultdict(list)
    for group in groups:
        is_named = _naming(pairs[group.members[0]].question)
        for literal in literals(group.skeleton.tree, columns):
            named = (
                by_column[literal.domain.column] if literal.domain else by_context[literal.context]
            )
            named.append(is_named(literal.node.name))
    fixed = frozenset(name for name, named in by_column.items() if _share(named) < _MIN_TEXT_SHARE)
    spoken = frozenset(
        name for name, named in by_context.items() if _share(named) >= _MIN_NUMBER_SHARE
    )
    domains = {
        literal.domain
        for group in groups
        for literal in literals(group.skeleton.tree, columns, fixed)
        if literal.domain
    }
    return SlotRules(tuple(sorted(domains)), fixed, spoken)


class _FormCounts(NamedTuple):
    """What the pairs of one form have in common."""

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
        found = _aligned(group, pairs, readings, columns, rules)
        if not found:
            continue
        form, order, member = found
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
        found = literals(skeleton.tree, columns, rules.fixed)
        aligned = align(skeleton, found, readings[member], rules.spoken_contexts)
        if aligned:
            return *aligned, member
    return None


def _naming(question: str) -> Callable[[str], bool]:
    """A predicate: whether the question names a text, or a number in digits or letters."""
    text = question.lower()
    tokens = {word.text for word in words(question)}
    tokens |= {str(value) for word in tokens if (value := number(word)) is not None}

    def is_named(literal: str) -> bool:
        name = literal.lower()
        return name in tokens or (len(name) > 2 and not name.isdigit() and name in text)

    return is_named


def _share(named: Sequence[bool]) -> float:
    return sum(named) / max(len(named), 1)


def find_ignored(pairs: Sequence[Pair], readings: Sequence[Reading]) -> list[str]:
    """Names of values that questions mostly use without meaning the value ("other", "rate")."""
    balance: Counter[str] = Counter()
    for pair, reading in zip(pairs, readings, strict=True):
        sql = (pair.sql or "").lower()
        for mention in reading.mentions if sql else ():
            values = {value.lower() for (value,) in mention.values.values()}
            is_meant = any(quote_text(v) in sql or (v.isdigit() and v in sql) for v in values)
            balance[reading.name_of(mention)] += 1 if is_meant else -1
    return sorted(name for name, count in balance.items() if count < 0)
