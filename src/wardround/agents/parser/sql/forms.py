"""SQL forms of kinds of questions: queries with slots for values, numbers and times."""

from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.question_reader import time_role
from wardround.ehr.database import Dialect
from wardround.ehr.times import TimeFilter


class Slot(NamedTuple):
    """A place in a query for a value of a domain, or for a number where there is no domain."""

    domain: Domain | None
    context: str


class FillOrder(NamedTuple):
    """The indices of the question's values, numbers and times that slots and time places take."""

    slots: tuple[int, ...]
    times: tuple[int, ...]


class SqlForm(NamedTuple):
    """A query with slots for values and numbers, and places for times.

    Attributes:
        sql: Its text, with a marker for each slot and a call for each time.
        slots: What each marker stands for.
        roles: The role of each time; "" where the time is constant.
        constants: The constant times by place.
        dialect: The SQL dialect.
    """

    sql: str
    slots: tuple[Slot, ...]
    roles: tuple[str, ...]
    constants: tuple[tuple[int, TimeFilter], ...]
    dialect: Dialect


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


def first_or_last(filter: TimeFilter) -> str:
    """The visit or row that a time selects: "first", "last", or "" for other times."""
    option = filter.template.id.rsplit("-", 1)[-1]
    selects = option in ("first", "last") and time_role(filter) in ("visit", "exact")
    return option if selects else ""
