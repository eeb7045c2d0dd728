"""Data that annotation stores show: forms, items, versions, tables, submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

# The note of a version that came second and was not saved.
SET_ASIDE = "set aside"
FieldKind: TypeAlias = Literal["line", "text", "code", "rubric"]


class AnnotatorRole(NamedTuple):
    """A step of the work on an item and the person who does it.

    Attributes:
        duties: The role's work, a sentence each.
    """

    name: str
    title: str
    duties: tuple[str, ...]


class FieldForm(NamedTuple):
    """A field of all items: its name, its heading, and the role that writes it."""

    name: str
    title: str
    role: str
    kind: FieldKind
    hint: str = ""


class CheckPoint(NamedTuple):
    """A point of the validator's checklist."""

    name: str
    section: str
    question: str


class RubricPreview(NamedTuple):
    """The score of a rubric in a grading."""

    grading: str
    score: float
    summary: str


class Outcome(NamedTuple):
    """A possible outcome of the validation."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class StoreForm:
    """The parts of a store's pages that are the same for all items.

    Attributes:
        weights: The meaning of each weight of a rubric, by weight.
        levels: The levels of difficulty.
        groups: The groups that a new item may belong to.
        lookups: Headings of the tables that can be searched, by name.
    """

    roles: tuple[AnnotatorRole, ...]
    fields: tuple[FieldForm, ...]
    checklist: tuple[CheckPoint, ...]
    outcomes: tuple[Outcome, ...]
    weights: Mapping[int, str]
    levels: tuple[str, ...]
    groups: tuple[str, ...]
    lookups: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a field; `note` says how it came about, "" for a plain save."""

    field: str
    version: int
    by: str
    at: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FieldState:
    """A field of an item: its text and the version of it, 0 if it was never saved here."""

    text: str
    version: int
    undoable: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark of a person; steps of the work are remarks too."""

    by: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class TableView:
    """A table to show.

    Attributes:
        note: The error if there is no table, or a remark such as the number of rows left out.
    """

    title: str
    columns: tuple[str, ...] = ()
    rows: Sequence[Sequence[Any]] = ()
    note: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ItemLine:
    """An item in a list.

    Attributes:
        state: The role that the item waits for, or a final state.
        waits: Why the item waits for the person who asks; "" if it does not.
    """

    id: str
    title: str
    level: str
    state: str
    state_title: str
    last: str
    waits: str = ""


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as a person sees it.

    Attributes:
        editable: Names of the fields that this person may write now.
        missing: What has to be done before the step is finished.
        result: The stored result.
        people: The person who finished each step, by role.
        answers: The answers of the checklist, by point.
        back: The roles that the item may be sent back to.
        validating: True if the person may decide on the item now.
    """

    line: ItemLine
    fields: Mapping[str, FieldState]
    editable: frozenset[str]
    missing: tuple[str, ...]
    result: TableView
    comments: tuple[Comment, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, bool] = field(default_factory=dict)
    back: tuple[str, ...] = ()
    validating: bool = False


class SubmissionLine(NamedTuple):
    """A submission in a list; `judged` is the number of the person's own verdicts."""

    key: str
    item: str
    judged: int


class LeafToJudge(NamedTuple):
    """A leaf of a rubric and the person's own verdict; None before it."""

    item: str
    requirement: str
    passed: bool | None


class SubmissionView(NamedTuple):
    """A submission as a person judges it: its model and others' verdicts are not told."""

    key: str
    item: str
    question: str
    sql: str
    result: TableView
    leaves: tuple[LeafToJudge, ...]


@dataclass(frozen=True, slots=True)
class SaveConflict:
    """Two people saved one version of a field; both texts are in the history.

    Attributes:
        current: The version that was saved first.
        text: The text that came second.
    """

    current: Revision
    text: str
