"""The logical form of a question about groups of patients."""

from dataclasses import dataclass

from wardround.agents.parser.grammar.records import Role
from wardround.ehr.times import TimeFilter


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on a number: `Bound(">", 65)`."""

    operator: str
    number: float


@dataclass(frozen=True, slots=True)
class Period:
    """A time, or all other times: "before June" is not "since June"."""

    filter: TimeFilter
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must, or must not, be on record of a patient.

    Attributes:
        kind: A kind of record, or "sex", "age", "death", "alive", "current", "patient".
        values: The recorded texts by role, of which any will do; empty for any record.
        also: A second column of the same record with its texts, such as the route of a drug.
        bounds: Limits on the number of the record: the age, or the value of a test.
        count: A limit on how many such records there are.
        periods: When the records are from.
        is_negated: Whether there must be none.
        first, last: Range of the question's words.
    """

    kind: str
    values: tuple[tuple[Role, tuple[str, ...]], ...] = ()
    also: tuple[tuple[Role, tuple[str, ...]], ...] = ()
    bounds: tuple[Bound, ...] = ()
    count: Bound | None = None
    periods: tuple[Period, ...] = ()
    is_negated: bool = False
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked of the patients, stays or records that meet all conditions.

    Attributes:
        shape: "count", "share", "ratio", "list", "names", "top", "aggregate", "value" or "exists".
        of: What is counted or listed: "patient", "admission", "icu" or a kind of record.
        function: The SQL function of an aggregate.
        column: The column of an aggregate or a value.
        top: How many ranks.
        order: "ASC" or "DESC" if only the first or the last by time is asked for.
    """

    shape: str
    of: str = "patient"
    function: str = ""
    column: str = ""
    top: int = 1
    order: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question.

    Attributes:
        part: Of a share, what the part must meet beside the conditions.
    """

    goal: Goal
    conditions: tuple[Condition, ...]
    part: tuple[Condition, ...] = ()
