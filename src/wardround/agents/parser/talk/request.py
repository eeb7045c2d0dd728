"""A user's request as plain data: the goal, the conditions and their relations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from wardround.ehr.query import Condition, Link, Span, Words
from wardround.ehr.records import Role

Kind: TypeAlias = str  # a kind of the record map: "drug", "lab", "admission", ...

ANY = Words("")

# Kinds of record that belong to one hospital visit.
VISIT_KINDS = ("admission", "icu", "transfer")
# Kinds of record that say whose records are meant.
OF_PEOPLE = ("patient", *VISIT_KINDS)
# Shapes of goals about many patients.
GOALS_OF_MANY = ("count", "share", "top")


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition as the user words it, with the stored values that were looked up for it.

    Attributes:
        condition: What must hold beside the words; its relation is to the record of `anchor`.
        words: The user's words; empty means any record of the kind.
        column: The role of the column that it is in; "class" is that of a drug, and "age",
            "length" and "hours" are numbers that are limited.
        link: What the words stand for; None before they are looked up, without texts if there is
            nothing.
        anchor: The record before or after which this one has to be.
        ever: Whether it counts at any time, whatever the hospital visit.
        on_other_records: Whether it is on other records than the target, of the same kind.
        record: Conditions with the same number are met by a single record.
        either: Of the conditions with the same number one is enough.
        opening: Whether it was part of the opening, which only introduces the topic.
        tentative: Whether it was worded without a clinical term there.
    """

    condition: Condition
    words: Words = ANY
    column: str = "name"
    link: Link | None = None
    anchor: "Clause | None" = None
    ever: bool = False
    on_other_records: bool = False
    record: int = 0
    either: int = 0
    opening: bool = False
    tentative: bool = False

    @property
    def kind(self) -> Kind:
        """The kind of record."""
        return self.condition.kind

    @property
    def is_negated(self) -> bool:
        """True if there must be no such record."""
        return self.condition.is_negated

    @property
    def phrase(self) -> str:
        """The user's words; "" for any record."""
        return self.words.text

    @property
    def stored(self) -> tuple[str, ...] | None:
        """The stored values; None before they are looked up."""
        return self.link.texts if self.link else None

    @property
    def is_linked(self) -> bool:
        """True if nothing is left to look up."""
        is_anchored = self.anchor is None or self.anchor.is_linked
        return (not self.phrase or self.link is not None) and is_anchored

    def changed(self, **changes: Any) -> "Clause":
        """The clause with parts of its condition changed."""
        return replace(self, condition=replace(self.condition, **changes))

    def worded(self, **changes: Any) -> "Clause":
        """The clause with parts of its words changed, and to be looked up anew."""
        return replace(self, words=replace(self.words, **changes), link=None)

    def kinds(self) -> Iterator[Kind]:
        """The kinds of record that it is about."""
        yield self.kind
        if self.condition.is_in_icu:
            yield "icu"
        if self.anchor:
            yield from self.anchor.kinds()


def clause(kind: Kind, phrase: str = "", column: str = "name") -> Clause:
    """A clause on records of a kind that go by a phrase."""
    return Clause(Condition(kind), Words(phrase), column)


@dataclass(frozen=True, slots=True)
class StatedGoal:
    """The wording of a goal, which becomes the goal of a query.

    Attributes:
        shape: "count", "share", "top", "list", "time", "value", "elapsed", "length", "cost" or
            "exists".
        of: The kind of record, "patient" or "admission"; empty if only the conditions tell.
        column: The role of the column asked for.
        top: How many ranks.
        per: The kind of record that costs are summed up for.
        which: "first", "last", "max", "min", "average", "median", "sum", or "all".
        ranked: "patient" if ranks go by the number of patients.
        scale: The value of a whole: 1, or 100 for percent; hours of a length: 24.
        weak: Whether an earlier goal takes precedence.
    """

    shape: str
    of: Kind = ""
    column: str = "name"
    top: int = 1
    per: str = ""
    which: str = "all"
    ranked: str = ""
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
        again: How soon a readmission was, "any" time, or None for none.
        indication: What the drugs asked about are for.
        in_words: Whether to give numbers in words.
        vague: Whether the last turn announced more to come.
        turns: How many turns the user has taken.
    """

    goal: StatedGoal | None = None
    conditions: tuple[Clause, ...] = ()
    part: tuple[Clause, ...] = ()
    patient: str = ""
    of_one: bool = False
    visit: Literal["", "first", "last", "current"] = ""
    stay: Literal["", "first", "last"] = ""
    hours: int = 0
    same_visit: bool = False
    again: Span | Literal["any"] | None = None
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

    def all_conditions(self) -> tuple[Clause, ...]:
        """All conditions, with those on the part."""
        return (*self.conditions, *self.part)

    def clauses(self) -> tuple[Clause, ...]:
        """All conditions, followed by their anchor records."""
        stated = self.all_conditions()
        return (*stated, *(c.anchor for c in stated if c.anchor))

    def links(self, role: Role, words: Words) -> Link | None:
        """The link that was found for the words in a column; None without one."""
        links = (c.link for c in self.clauses() if c.link and c.words == words)
        return next((link for link in links if link.role == role), None)

    def kinds(self) -> list[Kind]:
        """The kinds of record that the request needs."""
        kinds = [self.target_kind(), *(k for c in self.all_conditions() for k in c.kinds())]
        kinds += ["admission"] if self.visit else []
        kinds += ["icu"] if self.stay or self.hours else []
        return list(dict.fromkeys(kind for kind in kinds if kind))

    def is_by_visit(self) -> bool:
        """True if all conditions must hold for one hospital visit."""
        spoken_of = any(c.kind in VISIT_KINDS and not c.ever for c in self.all_conditions())
        return spoken_of or bool(self.visit or self.same_visit or self.again)

    def unlinked(self) -> tuple[Clause, ...]:
        """The conditions that are still to be looked up."""
        return tuple(c for c in self.all_conditions() if not c.is_linked)

    def with_condition(self, old: Clause, new: Clause) -> "Request":
        """The request with one condition replaced."""
        return replace(
            self,
            conditions=tuple(new if c == old else c for c in self.conditions),
            part=tuple(new if c == old else c for c in self.part),
        )

    def of_same_patient(self) -> "Request":
        """A request for nothing yet about the patient, the visit and the stay of this one."""
        return Request(patient=self.patient, visit=self.visit, stay=self.stay, turns=self.turns)
