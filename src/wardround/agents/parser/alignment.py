"""A question laid beside its SQL: which texts, numbers and times of the query it says."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.question_reader import Reading, role
from wardround.agents.parser.sql_skeletons import Apart, Literal, marked
from wardround.ehr.times import Dialect, TimeFilter


class Slot(NamedTuple):
    """A place of a query for a value of a domain, or, where there is none, for a number."""

    domain: Domain | None
    context: str


class Said(NamedTuple):
    """Which of a question's values, numbers and times each slot and each place takes."""

    slots: tuple[int, ...]
    places: tuple[int, ...]


class Form(NamedTuple):
    """A query with slots for values and numbers and places for times.

    Attributes:
        sql: Its text, with marks for slots and calls for places.
        slots: What each mark stands for.
        roles: Which part the time of each place plays; "" where it is always the same.
        constants: The times that are always the same, by place.
        dialect: Whose SQL it is.
    """

    sql: str
    slots: tuple[Slot, ...]
    roles: tuple[str, ...]
    constants: tuple[tuple[int, TimeFilter], ...]
    dialect: Dialect

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domains of its value slots, in their order."""
        return tuple(slot.domain for slot in self.slots if slot.domain)

    @property
    def wanted_roles(self) -> tuple[str, ...]:
        """The parts of the times that a question has to say, in the order of their places."""
        return tuple(role for role in self.roles if role)


def aligned(
    apart: Apart, found: Sequence[Literal], reading: Reading, spoken: Collection[str]
) -> tuple[Form, Said] | None:
    """The query with slots where the question says what stands there.

    Args:
        apart: The query without times; its tree is changed where the answer is not None.
        found: Its literals.
        reading: The question.
        spoken: The contexts of the numbers that questions say.

    Returns:
        None where the query has a patient or a date that the question does not say.
    """
    where = [_said(literal, reading, spoken) for literal in found]
    times = _times(apart.filters, reading)
    if times is None or any(
        at is None and literal.domain and _has_to_be_said(literal.node, reading)
        for at, literal in zip(where, found, strict=True)
    ):
        return None
    slots, said = _with_marks(found, where)
    pairs = list(zip(apart.filters, times, strict=True))
    roles = tuple("" if at is None else role(filter) for filter, at in pairs)
    constants = tuple((place, filter) for place, (filter, at) in enumerate(pairs) if at is None)
    form = Form(apart.tree.sql(apart.dialect), slots, roles, constants, apart.dialect)
    return form, Said(said, tuple(at for at in times if at is not None))


def _with_marks(
    found: Sequence[Literal], where: Sequence[int | None]
) -> tuple[tuple[Slot, ...], tuple[int, ...]]:
    """Marks put into the tree; the same value of one domain is one slot."""
    slots: list[Slot] = []
    said: list[int] = []
    for literal, at in zip(found, where, strict=True):
        if at is None:
            continue
        slot = Slot(literal.domain, literal.context)
        known = [
            n
            for n, (one, place) in enumerate(zip(slots, said, strict=True))
            if (one, place) == (slot, at)
        ]
        if not known:
            slots.append(slot)
            said.append(at)
        literal.node.replace(marked(known[0] if known else len(slots) - 1))
    return tuple(slots), tuple(said)


def _has_to_be_said(node: exp.Literal, reading: Reading) -> bool:
    """A number is never understood, and a text that the question has was not found in it."""
    return not node.is_string or node.name.lower() in reading.question.lower()


def _said(literal: Literal, reading: Reading, spoken: Collection[str]) -> int | None:
    name = literal.node.name.lower()
    if literal.domain:
        named = [one.values.get(literal.domain, ("",))[0].lower() for one in reading.mentions]
        return named.index(name) if name in named else None
    values = [number.value for number in reading.numbers]
    if literal.context not in spoken or float(name) not in values:
        return None
    return values.index(float(name))


def _times(filters: Sequence[TimeFilter], reading: Reading) -> tuple[int | None, ...] | None:
    """For each filter the time of the question that says it, None where it is no date anyway."""
    free = list(range(len(reading.times)))
    found: list[int | None] = []
    for filter in filters:
        at = next((at for at in free if same(reading.times[at].filter, filter)), None)
        if at is None and filter.values:
            return None
        found.append(at)
        if at is not None:
            free.remove(at)
    return tuple(found)


def same(said: TimeFilter, meant: TimeFilter) -> bool:
    """Whether two times are one, or the first and last of visits and of rows, which are alike."""
    if said.template.id == meant.template.id:
        return dict(said.values) == dict(meant.values)
    return kind_of_row(said) != "" and kind_of_row(said) == kind_of_row(meant)


def kind_of_row(filter: TimeFilter) -> str:
    """Which visit or row a time means: first or last; nothing for other times."""
    option = filter.template.id.rsplit("-", 1)[-1]
    return option if option in ("first", "last") and role(filter) in ("visit", "exact") else ""
