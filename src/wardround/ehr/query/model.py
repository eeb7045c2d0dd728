"""The logical form of a clinical question, as plain data."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from wardround.ehr.records import Role
from wardround.ehr.times import TimeFilter

Scope: TypeAlias = Literal["record", "stay", "admission", "patient"]
Which: TypeAlias = Literal["any", "first", "last", "total"]
Order: TypeAlias = Literal["after", "from", "before", "until", "during"]
Measure: TypeAlias = Literal["value", "age", "length"]
TimeUnit: TypeAlias = Literal["hour", "day", "week", "month", "year"]

Stored: TypeAlias = tuple[str, ...]  # texts as the records hold them, of which any will do


@dataclass(frozen=True, slots=True)
class Term:
    """A meaning that each layout writes in its own texts: `Term("female")`."""

    name: str


@dataclass(frozen=True, slots=True)
class Words:
    """The user's words for something; `link` finds the texts that the records have for it.

    Attributes:
        text: The words.
        names: Texts that records may hold for it, the likeliest first, if known beforehand.
        without: Members that are left out of a class.
        is_broad: Whether all recorded names with the words are meant.
        has_past: Whether a history of it counts too.
    """

    text: str
    names: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    is_broad: bool = False
    has_past: bool = False


Value: TypeAlias = Stored | Words | Term
Values: TypeAlias = tuple[tuple[Role, Value], ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on a number: `Bound(">", 65)`; a length is in days unless a unit is given."""

    operator: str
    number: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Between:
    """The times from `since` up to but not including `until`; None is open."""

    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """A time, or all other times: "before June" is not "since June"."""

    filter: TimeFilter | Between
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time: `Span(30, "day")`."""

    number: float
    unit: TimeUnit

    def __str__(self) -> str:
        return f"{self.number:g} {self.unit}s"


@dataclass(frozen=True, slots=True)
class Relation:
    """The order in time of a record and another one, its anchor.

    Attributes:
        order: "after" or "before" the anchor; "from" and "until" include its moment; "during" the
            anchor, which is a stay.
        anchor: The other record. With `which` "first" or "last" only that record of the patient or
            stay counts, otherwise any.
        scope: What the two share: the patient, or one stay.
        within: How far apart they are at most; of "during", how long from the start.
        at: The time of the record itself that counts: its "time", or "finish" for its end.
        by_day: Whether days are compared, where times are known to the day: the same day counts as
            after and as before.
    """

    order: Order
    anchor: "Condition"
    scope: Scope = "patient"
    within: Span | None = None
    at: Literal["time", "finish"] = "time"
    by_day: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must, or must not, be on record.

    Attributes:
        kind: A kind of record, or "sex", "death", "alive", "current", "patient".
        values: The values by role, of which any will do; empty for any record. A role without texts
            matches any value of its column.
        also: Further columns of the same record with their values, such as the route of a drug.
        containing: Further columns of which the text must contain one of these.
        bounds: Limits on the number of the record.
        measured: The number that is limited: a test's value, an age in whole years, or the length
            of a stay. The age of a patient is that of now, or at death.
        ages: Limits on the age of the patient, in whole years, at the time of the record.
        which: Which of several records has its number limited: any, the first or last by time, or
            all in total. Without bounds, the stay is the first or last of the patient.
        count: A limit on how many such records there are.
        periods: When the records are from.
        is_in_icu: Whether the records are from an ICU stay.
        relation: The order in time to another record.
        is_negated: Whether there must be none.
        scope: The owner of the condition: the record that is asked for, its ICU stay, its hospital
            stay, or its patient. If the question is about patients, one stay meets all conditions
            on a stay. The record of a cost is the one that was charged for.
        alternatives: Other conditions of the same scope, of which any will do instead.
    """

    kind: str
    values: Values = ()
    also: Values = ()
    containing: tuple[tuple[Role, Stored], ...] = ()
    bounds: tuple[Bound, ...] = ()
    measured: Measure = "value"
    ages: tuple[Bound, ...] = ()
    which: Which = "any"
    count: Bound | None = None
    periods: tuple[Period, ...] = ()
    is_in_icu: bool = False
    relation: Relation | None = None
    is_negated: bool = False
    scope: Scope = "patient"
    alternatives: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """The question about the patients, stays or records that meet all conditions.

    Attributes:
        shape: "count", "distinct", "share" (in percent), "ratio", "list", "names", "top",
            "aggregate", "value", "difference" (of the last and first value), "span" (days between
            the first and last time), "elapsed" (days until now) or "exists".
        of: What is counted or listed: "patient", "admission", "icu" or a kind of record.
        function: The function of an aggregate: "MIN", "MAX", "AVG", "SUM" or "MEDIAN".
        column: The column of an aggregate, a value or a rank; "length" and "hours" are those of a
            stay.
        top: How many ranks, or records in order; 0 for all of them. Values in their own order are
            each given once.
        order: "ASC" or "DESC": the first or last in order, or of ranks.
        ordered_by: The column of the order.
        per: The column of the patient or stay whose totals the function is of.
        by: The column to group by; a distribution is a count by its column.
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
    ordered_by: str = "time"
    per: str = ""
    by: str = ""
    by_person: bool = False
    base: str = ""
    costs_of: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question.

    Attributes:
        part: For a share, further conditions on its part.
    """

    goal: Goal
    conditions: tuple[Condition, ...]
    part: tuple[Condition, ...] = ()

    @property
    def base(self) -> str:
        """The kind of record of which the rows are selected."""
        return self.goal.base or self.goal.of
