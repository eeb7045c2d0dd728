"""Items as a person sees them, in the list and opened."""

from collections.abc import Sequence

from wardround.annotation.clinsql import rules
from wardround.annotation.clinsql.database_views import SHOWN_ROWS
from wardround.annotation.clinsql.record import REJECTED, VALIDATED, Record
from wardround.annotation.clinsql.words import VALIDATION, store_form
from wardround.annotation.views import ItemLine, ItemView, TableView
from wardround.benchmarks.clinsql.items.item_folders import ItemFolder
from wardround.benchmarks.clinsql.items.result_files import read_csv
from wardround.core.errors import UserError

_TITLE = 140


def item_line(
    folder: ItemFolder, record: Record, person: str, roles: Sequence[str] = ()
) -> ItemLine:
    """An item in a list."""
    question = " ".join(record.field("question").text.split())
    return ItemLine(
        id=folder.id,
        title=question if len(question) <= _TITLE else f"{question[:_TITLE]}…",
        level=folder.level,
        state=record.state,
        state_title=_state_title(record.state),
        last=record.last,
        waits=rules.waits_for(record, person, roles),
    )


def item_view(folder: ItemFolder, record: Record, stored: str, person: str) -> ItemView:
    """An item, opened."""
    forms = store_form().fields
    return ItemView(
        line=item_line(folder, record, person),
        fields={form.name: record.field(form.name) for form in forms},
        editable=frozenset(f.name for f in forms if rules.may_write(record, f.name, person)),
        missing=tuple(rules.missing(record, stored)),
        result=result_view("Stored result", stored),
        comments=tuple(record.comments),
        people=dict(record.people),
        answers=dict(record.answers),
        back=rules.roles_back(record.state),
        validating=record.state == VALIDATION and rules.may_validate(record, person),
    )


def _state_title(state: str) -> str:
    final = {VALIDATED: "Validated", REJECTED: "Rejected"}
    titles = {role.name: f"Waits for: {role.title}" for role in store_form().roles}
    return {**titles, **final}[state]


def result_view(title: str, stored: str) -> TableView:
    """A stored result, its first rows."""
    if not stored.strip():
        return TableView(title, note="No result is stored yet.")
    try:
        table = read_csv(stored, "The stored result")
    except UserError as error:
        return TableView(title, note=str(error), failed=True)
    total = len(table.rows)
    note = f"{total:,} rows; the first {SHOWN_ROWS} are shown." if total > SHOWN_ROWS else ""
    return TableView(title, table.columns, table.rows[:SHOWN_ROWS], note)
