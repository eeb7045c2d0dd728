"""The store of items that people annotate: folders in the published form, each with a log."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from wardround.annotation.clinsql import database_views, rules
from wardround.annotation.clinsql.figures import Studies
from wardround.annotation.clinsql.item_changes import (
    ItemChange,
    find_folder,
    item_change,
    record_of,
)
from wardround.annotation.clinsql.item_files import (
    folders,
    moved,
    new_folder,
    read_result,
    write_result,
)
from wardround.annotation.clinsql.item_views import item_line, item_view
from wardround.annotation.clinsql.record import Record
from wardround.annotation.clinsql.rubric_drafts import drafted_rubric, previews
from wardround.annotation.clinsql.rules import result_digest
from wardround.annotation.clinsql.words import VALIDATION, store_form
from wardround.annotation.views import (
    FieldState,
    ItemLine,
    ItemView,
    Revision,
    RubricPreview,
    SaveConflict,
    TableView,
)
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.items.result_files import write_csv
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.core.errors import UserError

STATEMENT_SECONDS = 60.0


def open_store(
    folder: Path,
    database: str | None,
    now: Callable[[], str],
    second: Path | None = None,
    submissions: Path | None = None,
) -> "ItemStore":
    """Opens the items below a folder.

    Args:
        folder: The folder, which is created if it is missing.
        database: Where queries run; None if there is none.
        now: Returns the time as text.
        second: The folder of items that second annotators repeat.
        submissions: A folder of models' submissions whose leaves people judge.

    Raises:
        UserError: The folder is a file, or the database cannot be opened.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; name a folder of items.")
    opened = open_records(database) if database else None
    executions = Executions(opened, STATEMENT_SECONDS) if opened else None
    studies = Studies(folder, second, submissions, now)
    return ItemStore(folder, executions, now, studies)


class ItemStore:
    """Items in folders; see `wardround.annotation.store.AnnotationStore`.

    Args:
        folder: The folder of all items.
        executions: Where queries run; None if there is no database.
        now: Returns the time as text.
        studies: Second annotations, and verdicts on submissions.
    """

    def __init__(
        self,
        folder: Path,
        executions: Executions | None,
        now: Callable[[], str],
        studies: Studies,
    ) -> None:
        self.form = store_form()
        self._source = folder
        self.studies = studies
        self._executions = executions
        self._now = now
        self._creating = threading.Lock()

    def items(self, person: str, roles: Sequence[str]) -> list[ItemLine]:
        """All items, those that wait for the person first."""
        stored = folders(self._source)
        lines = [item_line(folder, record_of(folder), person, roles) for folder in stored]
        return sorted(lines, key=lambda line: (not line.waits, line.id))

    def item(self, id: str, person: str) -> ItemView:
        """An item; opening it logs the versions of files that were changed elsewhere."""
        with self._change(id, person) as change:
            return item_view(change.folder, change.record, read_result(change.folder), person)

    def create(self, group: str, level: str, person: str) -> str:
        """Makes an empty item; its id."""
        if not person.strip():
            raise UserError("Say who you are first.")
        with self._creating:
            return new_folder(self._source, group, level).id

    def save(
        self, id: str, field: str, text: str, version: int, person: str
    ) -> FieldState | SaveConflict:
        """Saves a text that was written on a version of its field."""
        with self._change(id, person) as change:
            return change.save(field, text, version)

    def undo(self, id: str, field: str, version: int, person: str) -> FieldState | SaveConflict:
        """Restores the text before the last change."""
        with self._change(id, person) as change:
            return change.undo(field, version)

    def history(self, id: str, field: str = "") -> list[Revision]:
        """The versions of a field, or of all, the first one first."""
        revisions = self._record(id).revisions
        return [each for each in revisions if field in ("", each.field)]

    def comment(self, id: str, text: str, person: str) -> None:
        """Adds a remark."""
        with self._change(id, person) as change:
            if not text.strip():
                raise UserError("Write a comment first.")
            change.log("commented", text=text.strip())

    def finish(self, id: str, person: str) -> None:
        """Ends the step of the person; the item waits for the next role."""
        with self._change(id, person) as change:
            state = change.record.state
            if state not in rules.annotator_roles():
                raise UserError("There is no step to finish; a validator decides on the item.")
            if faults := rules.missing(change.record, read_result(change.folder)):
                raise UserError(faults[0])
            change.log("finished", state)

    def send_back(self, id: str, role: str, reason: str, person: str) -> None:
        """Returns an item to an earlier role, or a finished one to its validator."""
        with self._change(id, person) as change:
            if role not in rules.roles_back(change.record.state):
                raise UserError("The item cannot go back there.")
            if not reason.strip():
                raise UserError("Say why it goes back.")
            change.log("sent back", role, reason.strip())

    def run(self, id: str, person: str, sql: str | None = None) -> TableView:
        """Runs the item's query, or a draft of it, which is not recorded."""
        if sql is not None:
            return database_views.execution_view("Result of the draft", ran(self._open(), sql))
        sql = self._record(id).field("sql").text
        outcome = ran(self._open(), sql)
        with self._change(id, person) as change:
            log_run(change, sql, outcome)
        return database_views.execution_view("Result", outcome)

    def keep_result(self, id: str, person: str) -> TableView:
        """Runs the item's query and stores its result."""
        sql = self._record(id).field("sql").text
        outcome = ran(self._open(), sql)
        with self._change(id, person) as change:
            change.allow("sql")
            log_run(change, sql, outcome)
            if not outcome.succeeded:
                raise UserError("The query fails, so there is no result to store.")
            write_result(change.folder, csv_of(outcome))
        return database_views.execution_view("Stored result", outcome)

    def answer(self, id: str, answers: Mapping[str, bool], person: str) -> None:
        """Records the answers of the checklist."""
        with self._change(id, person) as change:
            record = change.record
            if record.state != VALIDATION or not rules.may_validate(record, person):
                raise UserError("Only a validator who wrote no part of the item answers these.")
            known = {point.name for point in self.form.checklist}
            change.log("answered", values={n: v for n, v in answers.items() if n in known})

    def decide(self, id: str, outcome: str, reason: str, level: str, person: str) -> str:
        """Ends the validation; the item's id, which changes with its level."""
        if level not in self.form.levels:
            raise UserError("Confirm the level.")
        sql, accepts = self._record(id).field("sql").text, outcome in ("as-is", "minor")
        proof = ran(self._open(), sql) if accepts else None
        with self._change(id, person) as change:
            stored = read_result(change.folder)
            faults = rules.decision_faults(change.record, stored, outcome, reason, person)
            if faults:
                raise UserError(faults[0])
            if proof is not None:
                log_run(change, sql, proof)
                prove_result(proof, stored)
            values = {"outcome": outcome, "level": level}
            change.log("decided", text=reason.strip(), values=values)
            return moved(self._source, change.folder, level).id

    def preview(
        self, field: str, rubric: str, passed: frozenset[str], ran: bool
    ) -> list[RubricPreview]:
        """The scores of a rubric for verdicts on its leaves, in all gradings."""
        return list(previews(rules.parse_rubric(rubric).root, passed, ran=ran))

    def draft(self, id: str, field: str) -> str:
        """A draft of a rubric from the item's query and result."""
        folder = find_folder(self._source, id)
        return drafted_rubric(field, record_of(folder).field("sql").text, read_result(folder))

    def tables(self) -> list[TableView]:
        """The tables of the database with their columns."""
        return list(database_views.schema_views(self._open().database))

    def look_up(self, name: str, text: str) -> TableView:
        """Rows of a table of names that contain a text."""
        title = self.form.lookups.get(name, "")
        return database_views.look_up(self._open().database, title, name, text)

    def record(self, id: str) -> list[TableView]:
        """The record of the patient whom the item's question describes."""
        anchor = self._record(id).field("anchor").text
        return database_views.record_views(self._open().database, anchor)

    def close(self) -> None:
        """Closes the database."""
        if self._executions is not None:
            self._executions.database.close()

    def _change(self, id: str, person: str) -> AbstractContextManager[ItemChange]:
        return item_change(self._source, id, person, self._now)

    def _record(self, id: str) -> Record:
        return record_of(find_folder(self._source, id))

    def _open(self) -> Executions:
        if self._executions is None:
            raise UserError("There is no database; start the page with --database FILE.")
        return self._executions


def ran(executions: Executions, sql: str) -> Execution:
    """The outcome of a query.

    Raises:
        UserError: There is no query.
    """
    if not sql.strip():
        raise UserError("There is no query to run; write one.")
    return executions.of(sql)


def log_run(change: ItemChange, sql: str, outcome: Execution) -> None:
    """Logs a run with the digest of its result; it ran before the item was held.

    Raises:
        UserError: The item's query is another one by now.
    """
    if change.record.field("sql").text != sql:
        raise UserError("The query was changed meanwhile; run it again.")
    values = {"error": outcome.error, "result": result_digest(csv_of(outcome))}
    change.log("ran", "sql", sql, values)


def prove_result(outcome: Execution, stored: str) -> None:
    """Refuses a stored result that is not the query's.

    Raises:
        UserError: The query fails, or its result is not the stored one.
    """
    result = csv_of(outcome)
    if not result or result_digest(result) != result_digest(stored):
        raise UserError("The query does not give the stored result; run it and look.")


def csv_of(outcome: Execution) -> str:
    """A result as it is stored; "" for a query that failed."""
    return write_csv(outcome.csv) if outcome.succeeded else ""
