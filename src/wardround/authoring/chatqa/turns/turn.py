"""A turn: a request that finds nothing, and the one that the user makes then."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, TypeAlias

from wardround.authoring.chatqa.asked_records import AskedRecords, Rows
from wardround.authoring.chatqa.other_readings import AMBIGUOUS
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.database import QueryError
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.records import Role

# The form of the answer: a number in words, or a text as it is stored.
Form: TypeAlias = Literal["words", "stored"]

_MOST_VALUES = 10
PATIENTS = Goal("count", "patient")


@dataclass(frozen=True, slots=True)
class Turn:
    """A request that finds nothing, and the one that the user makes then.

    Attributes:
        category: the published name of the category.
        frame: the frame of both requests in the wordings.
        slots: the words that fill the frame.
        first: the first request; None if it names a table that does not exist.
        final: the request after the turn, whose answer is the gold.
        wrong: requests that differ from the final one in its turn, with other answers.
        form: how the answer is given.
        sizes: the numbers of patients that the final request may find; None for any.
        withheld: names that the agent has to find, which a user may choose not to suggest.
    """

    category: str
    frame: str
    slots: Mapping[str, str]
    first: Query | None
    final: Query
    wrong: tuple[Query, ...]
    form: Form
    sizes: range | None = None
    withheld: tuple[str, ...] = ()


Category: TypeAlias = Callable[[AskedRecords, Random], Iterator[Turn]]


def reason_to_drop(turn: Turn, records: AskedRecords) -> str:
    """The reason why a turn makes no task; "" if it makes one."""
    try:
        if turn.first is not None and not is_nothing(records.rows(turn.first)):
            return "the first request finds something"
        rows = records.rows(turn.final)
        if is_nothing(rows) or any(row[0] is None for row in rows):
            return "the last request finds nothing"
        if len(rows) > _MOST_VALUES:
            return "too many values"
        if any(_values(records.rows(each)) == _values(rows) for each in turn.wrong):
            return "another request has the same answer"
    except QueryError as error:
        return f"a query that fails ({error.kind})"
    return ""


def fault_of_answer(turn: Turn, records: AskedRecords) -> str:
    """The reason to drop a turn; "" if its answer is the only one, and of a suitable size."""
    rows = records.rows(turn.final)
    if turn.sizes is not None and int(str(rows[0][0])) not in turn.sizes:
        return "too few or too many patients"
    read = records.meanings.other_readings
    is_absent = turn.first is None or all(is_nothing(records.rows(q)) for q in read(turn.first))
    is_clear = all(_values(records.rows(query)) == _values(rows) for query in read(turn.final))
    return "" if is_absent and is_clear else AMBIGUOUS


def is_nothing(rows: Rows) -> bool:
    """True if there are no rows, or all cells are zero or empty."""
    return all(cell in (None, 0) for row in rows for cell in row)


def _values(rows: Rows) -> set[str]:
    return {str(row[0]) for row in rows}


def having(value: SpokenValue) -> Condition:
    """The condition that a patient has a record of a value."""
    return Condition(value.role.kind, ((value.role, value.stored),))


def having_any(values: list[SpokenValue]) -> Condition:
    """The condition that a patient has a record of one kind with one of some values."""
    role = values[0].role
    return Condition(role.kind, ((role, tuple(text for v in values for text in v.stored)),))


def containing(kind: str, *parts: str) -> Condition:
    """The condition that a patient has a record whose name has one of some parts."""
    return Condition(kind, containing=((Role(kind, "name"), parts),))


def of_patient(goal: Goal, condition: Condition, patient: str) -> Query:
    """A question about one patient's records that meet a condition."""
    person = Condition("patient", ((Role("patient", "patient"), (patient,)),))
    return Query(goal, (replace(condition, scope="record"), person))
