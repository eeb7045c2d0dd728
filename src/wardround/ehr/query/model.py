"""The logical form of a question about groups of patients."""

from dataclasses import dataclass

from wardround.ehr.records import Role
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
        is_in_icu: Whether the records are from an ICU stay.
        is_negated: Whether there must be none.
        order: How the record that this is the sequel of stands to it: "after" or "before"; "" for
            a condition of its own.
        sequel: The record that must come before or after such a record.
        first, last: Range of the question's words.
    """

    kind: str
    values: tuple[tuple[Role, tuple[str, ...]], ...] = ()
    also: tuple[tuple[Role, tuple[str, ...]], ...] = ()
    bounds: tuple[Bound, ...] = ()
    count: Bound | None = None
    periods: tuple[Period, ...] = ()
    is_in_icu: bool = False
    is_negated: bool = False
    order: str = ""
    sequel: "Condition | None" = None
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Goal:
    """The question about the patients, stays or records that meet all conditions.

    Attributes:
        shape: "count", "distinct", "share", "ratio", "list", "names", "top", "aggregate", "value",
            "span" or "exists".
        of: What is counted or listed: "patient", "admission", "icu" or a kind of record.
        function: The SQL function of an aggregate.
        column: The column of an aggregate, a value or a rank.
        top: How many ranks.
        order: "ASC" or "DESC": the first or last by time, or of ranks.
        per: The column of the patient or stay whose totals the function is of.
        by: The column to group by.
        by_person: Whether that column is of the patients.
        base: The view to select from where it is not that of the records.
        costs_of: The kind of record whose costs are asked for.
    """

    shape: str
    of: str = "patient"
    function: str = ""
    column: str = ""
    top: int = 1
    order: str = ""
    per: str = ""
    by: str = ""
    by_person: bool = False
    base: str = ""
    costs_of: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question.

    Attributes:
        part: Of a share, what the part must meet beside the conditions.
    """

    goal: Goal
    conditions: tuple[Condition, ...]
    part: tuple[Condition, ...] = ()
