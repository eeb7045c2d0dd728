"""What a user asks for, as plain data: the goal, the conditions, and how they hang together."""

from dataclasses import dataclass, replace
from typing import TypeAlias

Kind: TypeAlias = str  # a section of roles.toml: "drug", "lab", "admission", ...


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time, from `since` on and up to, not including, `until`; None is open."""

    since: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """A limit on a number, such as at most 8: `("<=", 8.0)`."""

    operator: str
    number: float


@dataclass(frozen=True, slots=True)
class Relation:
    """Before or after the first record of something else, at most `within` away.

    It is the patient's first, or the first of the hospital visit where `on_visit`.
    """

    order: str
    anchor: "Condition"
    within: str = ""
    on_visit: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must be, or must not be, on record.

    Attributes:
        kind: which records it speaks of.
        phrase: the user's words for the thing; empty means any record of the kind.
        column: which column of the records the thing is in.
        names: how records may put it, the likeliest first, where that is known beforehand.
        values: what the database calls it, once looked up; None before that.
        without: drugs that are left out of a class.
        exact: whether values must be equal, or need only be contained.
        bounds: limits on the recorded number, or on the length (in days) or age that is meant.
        place: "first" or "last" where that record alone of its kind must meet the bounds.
        total: whether the bounds are on the sum of the records.
        window: when it was recorded.
        negated: whether it must be absent.
        past: whether a history of it counts too.
        ever: whether it counts at any time of the patient's, whatever visit is spoken of.
        apart: whether it is on other records than those that are sought, though of their kind.
        relation: how it lies in time to another condition.
        record: which conditions a single record meets: those of the same number.
        either: which conditions stand for each other: of those of the same number one is enough.
        opening: whether it was said in opening the talk, which tells what the talk is about.
        tentative: whether it was so in no clinical term.
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
        """Whether nothing is left to look up."""
        anchored = self.relation is None or self.relation.anchor.linked
        return (not self.phrase or self.values is not None) and anchored


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be found.

    Attributes:
        shape: "count", "share", "top", "list", "time", "value", "elapsed", "length", "cost" or
            "exists".
        of: the kind of record, or "patient" or "admission"; empty when only conditions tell.
        which: "first", "last", "max", "min", "average", "sum", or "all".
        column: which column is asked for.
        top: how many ranks.
        by: "patient" where ranks go by the number of patients.
        per: "admission" where costs are summed up by hospital stay first.
        scale: what a whole is in shares: 1, or 100 for percent.
        weak: whether an earlier goal stands against it.
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
        goal: what is to be found; None until it was said.
        conditions: what must hold.
        part: of a share, what the part must meet; of costs, what was charged for.
        patient: a patient's id.
        of_one: whether one patient is spoken of.
        visit: "first", "last" or "current" hospital visit; empty for any.
        stay: "first" or "last" ICU stay; empty for any.
        hours: how many hours from the beginning of the ICU stay, or visit, count; 0 for all.
        same_visit: whether all must have been on one hospital visit.
        again: how soon after the visit the patient was to come back: "30 days", "any", or empty.
        indication: what drugs are asked about for.
        in_words: whether numbers are to be told in words.
        vague: whether the last words said that there is more to say.
        turns: how often the user has spoken.
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

    def everything(self) -> tuple[Condition, ...]:
        """All conditions, those on a share's part too."""
        return (*self.conditions, *self.part)

    def unlinked(self) -> tuple[Condition, ...]:
        """The conditions that wait to be looked up."""
        return tuple(c for c in self.everything() if not c.linked)

    def with_condition(self, old: Condition, new: Condition) -> "Request":
        """The request with one condition replaced."""
        return replace(
            self,
            conditions=tuple(new if c == old else c for c in self.conditions),
            part=tuple(new if c == old else c for c in self.part),
        )
