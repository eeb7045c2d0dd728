"""The state of an item, folded from its log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wardround.annotation.clinsql.events import Event
from wardround.annotation.clinsql.words import VALIDATION, step_names
from wardround.annotation.views import SET_ASIDE, Comment, FieldState, Revision

VALIDATED, REJECTED = "validated", "rejected"
_VERSIONS = ("saved", "undone", "imported")


@dataclass
class Record:
    """An item's history and its present state.

    Attributes:
        revisions: All versions of all fields, those set aside too, in order.
        stacks: The versions that undo goes back through, by field; the last one is current.
        state: The role that the item waits for, or `validated` or `rejected`.
        people: The person who finished each step last, by role.
        writers: Everybody who wrote a version that was not imported.
        barred: People who may not write here, as they worked on the item that this one repeats.
        ran: The last run of the gold query that was recorded.
    """

    state: str
    revisions: list[Revision] = field(default_factory=list)
    stacks: dict[str, list[Revision]] = field(default_factory=dict)
    comments: list[Comment] = field(default_factory=list)
    people: dict[str, str] = field(default_factory=dict)
    writers: set[str] = field(default_factory=set)
    answers: dict[str, bool] = field(default_factory=dict)
    ran: Event | None = None
    last: str = ""
    barred: frozenset[str] = frozenset()

    def version(self, name: str) -> int:
        """The number of the last version of a field."""
        revisions = (r for r in self.revisions if r.field == name and r.note != SET_ASIDE)
        return sum(1 for _ in revisions)

    def field(self, name: str) -> FieldState:
        """The current text of a field."""
        stack = self.stacks.get(name, [])
        return FieldState(stack[-1].text if stack else "", self.version(name), len(stack) > 1)


def folded(events: Iterable[Event], start: str) -> Record:
    """Folds a log.

    Args:
        events: The entries, in order; the first one of a stored log names its first state.
        start: The state of an item without a log.

    >>> log = [Event(kind="saved", by="Ada", at="1", field="sql", text="SELECT 1")]
    >>> folded(log, "sql").field("sql").text
    'SELECT 1'
    """
    record = Record(start)
    for event in events:
        _add(record, event)
        record.last = event.at or record.last
    return record


def first_state(texts: Mapping[str, str]) -> str:
    """The role that an item without a log waits for, by the fields that it has.

    >>> first_state({"question": "How many?", "sql": ""})
    'sql'
    """
    needed = {
        "query": ("question",),
        "sql": ("sql",),
        "guideline": ("sql_rubric", "results_rubric"),
    }
    for role in step_names():
        if not all(texts.get(name, "").strip() for name in needed.get(role, ())):
            return role
    return VALIDATION


def _add(record: Record, event: Event) -> None:
    if event.kind == "began":
        record.state = event.field
        record.barred = frozenset(event.values.get("barred", ()))
    elif event.kind in _VERSIONS:
        _add_version(record, event)
    elif event.kind == SET_ASIDE:
        record.revisions.append(_revision(event, record.version(event.field), SET_ASIDE))
        record.comments.append(Comment(event.by, event.at, f"Set aside: a text of {event.field}."))
    elif event.kind in ("commented", "sent back", "finished"):
        record.comments.append(Comment(event.by, event.at, _remark(event)))
        _add_step(record, event)
    elif event.kind == "ran":
        record.ran = event
    elif event.kind == "answered":
        record.answers = {name: bool(value) for name, value in event.values.items()}
    elif event.kind == "decided":
        record.comments.append(Comment(event.by, event.at, _remark(event)))
        _decide(record, event)


def _add_version(record: Record, event: Event) -> None:
    stack = record.stacks.setdefault(event.field, [])
    note = "" if event.kind == "saved" else event.kind
    revision = _revision(event, record.version(event.field) + 1, note)
    record.revisions.append(revision)
    if event.kind == "undone" and len(stack) > 1:
        stack.pop()
    else:
        stack.append(revision)
    if event.kind != "imported" and record.state != VALIDATION:
        record.writers.add(event.by)
    record.answers = {}


def _add_step(record: Record, event: Event) -> None:
    steps = step_names()
    if event.kind == "finished":
        record.people[event.field] = event.by
        record.state = steps[steps.index(event.field) + 1]
    elif event.kind == "sent back":
        record.state = event.field


def _decide(record: Record, event: Event) -> None:
    record.people[VALIDATION] = event.by
    outcome = event.values.get("outcome")
    if outcome == "major":
        record.state = str(event.values.get("to") or step_names()[0])
    else:
        record.state = REJECTED if outcome == "reject" else VALIDATED


def _remark(event: Event) -> str:
    if event.kind == "finished":
        return f"Finished the step {event.field}."
    if event.kind == "sent back":
        return f"Sent back to {event.field}: {event.text}"
    if event.kind == "decided":
        outcome = event.values.get("outcome", "")
        return f"Decided: {outcome}. {event.text}".strip()
    return event.text


def _revision(event: Event, version: int, note: str) -> Revision:
    return Revision(event.field, version, event.by, event.at, event.text, note)
