"""The interface of annotation stores: items that several people write and validate in turn."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from wardround.annotation.views import (
    FieldState,
    ItemLine,
    ItemView,
    Revision,
    RubricPreview,
    SaveConflict,
    StoreForm,
    SubmissionLine,
    SubmissionView,
    TableView,
)


class AnnotationDeclaration(NamedTuple):
    """A kind of annotated items.

    Attributes:
        name: Its name.
        summary: A line on it.
        implementation: The `module:function` that opens a store, with parameters `folder`,
            `database` (a location or None), `now` (returns the time as text), `second` (a
            folder for second annotators or None) and `submissions` (a folder or None).
        page: The `module:function` that serves a store until it is interrupted.
    """

    name: str
    summary: str
    implementation: str
    page: str = "wardround.annotation.server:serve"


class AnnotationStudies(Protocol):
    """Studies of annotated items: second annotators, and people as judges of submissions."""

    def figures(self) -> list[TableView]:
        """Figures of the whole annotation."""

    def draw_second(self, count: int) -> int:
        """Copies questions of valid items for second annotators, who see only the question."""

    def submissions(self, person: str) -> list[SubmissionLine]:
        """The submissions to judge; empty without any."""

    def submission(self, key: str, person: str) -> SubmissionView:
        """A submission to judge."""

    def judge(self, key: str, verdicts: Mapping[str, bool], person: str) -> None:
        """Records a person's verdicts on leaves."""


class AnnotationStore(Protocol):
    """Items with their history; any thread may use it. Methods raise `UserError` if refused."""

    form: StoreForm
    studies: AnnotationStudies

    def items(self, person: str, roles: Sequence[str]) -> list[ItemLine]:
        """All items; those that wait for the person say so."""

    def item(self, id: str, person: str) -> ItemView:
        """An item."""

    def create(self, group: str, level: str, person: str) -> str:
        """Makes an empty item; its id."""

    def save(
        self, id: str, field: str, text: str, version: int, person: str
    ) -> FieldState | SaveConflict:
        """Saves a text that was written on a version of its field."""

    def undo(self, id: str, field: str, version: int, person: str) -> FieldState | SaveConflict:
        """Restores the text before the last change."""

    def history(self, id: str, field: str = "") -> list[Revision]:
        """The versions of a field, or of all, the first one first."""

    def comment(self, id: str, text: str, person: str) -> None:
        """Adds a remark."""

    def finish(self, id: str, person: str) -> None:
        """Ends the step of the person; the item waits for the next role."""

    def send_back(self, id: str, role: str, reason: str, person: str) -> None:
        """Returns an item to an earlier role."""

    def run(self, id: str, person: str, sql: str | None = None) -> TableView:
        """Runs the item's query, or a draft of it, which is not recorded."""

    def keep_result(self, id: str, person: str) -> TableView:
        """Runs the item's query and stores its result."""

    def answer(self, id: str, answers: Mapping[str, bool], person: str) -> None:
        """Records the answers of the checklist."""

    def decide(self, id: str, outcome: str, reason: str, level: str, person: str) -> str:
        """Ends the validation; the item's id, which changes with its level."""

    def preview(
        self, field: str, rubric: str, passed: frozenset[str], ran: bool
    ) -> list[RubricPreview]:
        """The scores of a rubric for verdicts on its leaves, in all gradings."""

    def draft(self, id: str, field: str) -> str:
        """A draft of a rubric from the item's query and result."""

    def tables(self) -> list[TableView]:
        """The tables of the database with their columns."""

    def look_up(self, name: str, text: str) -> TableView:
        """Rows of a table of names that contain a text."""

    def record(self, id: str) -> list[TableView]:
        """The record of the patient whom the item's question describes."""

    def close(self) -> None:
        """Closes the database."""
