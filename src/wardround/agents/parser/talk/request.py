"""A user's request as plain data: the goal, the conditions and their relations."""

from dataclasses import dataclass, replace
from typing import TypeAlias

Kind: TypeAlias = str  # a section of roles.toml: "drug", "lab", "admission", ...


@dataclass(frozen=True, slots=True)
class Window:
    """A time window from `since` up to but not including `until`; None is open."""

    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on a number, such as at most 8: `("<=", 8.0)`."""

    operator: str
    number: float


@dataclass(frozen=True, slots=True)
class Relation:
    """Before or after the first record of another condition, at most `within` apart.

    The first record is that of the patient, or of the hospital visit if `on_visit`.
    """

    order: str
    anchor: "Condition"
    within: str = ""
    on_visit: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must be, or must not be, on record.

    Attributes:
        kind: The kind of record.
        phrase: The user's words; empty means any record of the kind.
        column: The role of the column that it is in.
        names: The texts that records may hold, the likeliest first, if known beforehand.
        values: The stored values; None before they are looked up.
        without: Drugs excluded from a class.
        exact: Whether values must be equal rather than contained.
        bounds: Limits on the recorded number, the length in days or the age.
        place: "first" or "last" if only that record must meet the bounds.
        total: Whether the bounds are on the sum of the records.
        window: When it was recorded.
        negated: Whether it must be absent.
        past: Whether a history of it counts too.
        ever: Whether it counts at any time, whatever the hospital visit.
        apart: Whether it is on other records than the target, though of the same kind.
        relation: Its order in time to another condition.
        record: Conditions with the same number are met by a single record.
        either: Of the conditions with the same number one is enough.
        opening: Whether it was part of the opening, which only introduces the topic.
        tentative: Whether it was worded without a clinical term there.
    """

    kind: Kind
    phrase: str = ""
    column: str = "name"
    names: tuple[str, ...] = ()
    values: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    exact: bool = True
    bounds: tuple[Bound, ...] = ()
    place: str = ""
    total: bool = False
    window: Window | None = None
    negated: bool = False
    past: bool = False
    ever: bool = False
    apart: bool = False
    relation: Relation | None = None
    record: int = 0
    either: int = 0
    opening: bool = False
    tentative: bool = False

    @property
    def linked(self) -> bool:
        """True if nothing is left to look up."""
        anchored = self.relation is None or self.relation.anchor.linked
        return (not self.phrase or self.values is not None) and anchored


@dataclass(frozen=True, slots=True)
class Goal:
    """The goal of a request.

    Attributes:
        shape: "count", "share", "top", "list", "time", "value", "elapsed", "length", "cost" or
            "exists".
        of: The kind of record, "patient" or "admission"; empty if only the conditions tell.
        which: "first", "last", "max", "min", "average", "sum", or "all".
        column: The role of the column asked for.
        top: How many ranks.
        by: "patient" if ranks go by the number of patients.
        per: "admission" if costs are summed by hospital stay first.
        scale: The value of a whole: 1, or 100 for percent.
        weak: Whether an earlier goal takes precedence.
    """

    shape: str
    of: Kind = ""
    which: str = "all"
    column: str = "name"
    top: int = 1
    by: str = ""
    per: str = ""
    scale: int = 1
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """All that the user has asked so far.

    Attributes:
        goal: What to find; None until it is stated.
        conditions: What must hold.
        part: For a share, what the part must meet; for costs, what was charged for.
        patient: A patient's ID.
        of_one: Whether it is about one patient.
        visit: "first", "last" or "current" hospital visit; empty for any.
        stay: "first" or "last" ICU stay; empty for any.
        hours: How many hours from the start of the ICU stay or visit count; 0 for all.
        same_visit: Whether all conditions are on one hospital visit.
        again: The time of a readmission: "30 days", "any", or empty for none.
        indication: What the drugs asked about are for.
        in_words: Whether to give numbers in words.
        vague: Whether the last turn announced more to come.
        turns: How many turns the user has taken.
    """

    goal: Goal | None = None
    conditions: tuple[Condition, ...] = ()
    part: tuple[Condition, ...] = ()
    patient: str = ""
    of_one: bool = False
    visit: str = ""
    stay: str = ""
    hours: int = 0
    same_visit: bool = False
    again: str = ""
    indication: str = ""
    in_words: bool = False
    vague: bool = False
    turns: int = 0

    def target_kind(self) -> Kind:
        """The kind of record that the goal is about."""
        if self.goal and self.goal.of:
            return self.goal.of
        events = [c.kind for c in self.conditions if c.kind not in ("admission", "patient")]
        return events[0] if events else ""

    def all_conditions(self) -> tuple[Condition, ...]:
        """All conditions, with those on the part."""
        return (*self.conditions, *self.part)

    def unlinked(self) -> tuple[Condition, ...]:
        """The conditions that are still to be looked up."""
        return tuple(c for c in self.all_conditions() if not c.linked)

    def with_condition(self, old: Condition, new: Condition) -> "Request":
        """The request with one condition replaced."""
        return replace(
            self,
            conditions=tuple(new if c == old else c for c in self.conditions),
            part=tuple(new if c == old else c for c in self.part),
        )
