"""Rules of the work on an item: who may write, what a step needs, when an item is valid."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

from wardround.annotation.clinsql.record import REJECTED, VALIDATED, Record
from wardround.annotation.clinsql.words import (
    MAPPING,
    VALIDATION,
    role_of,
    step_names,
    store_form,
)
from wardround.benchmarks.clinsql.items.result_files import read_csv
from wardround.core.errors import UserError
from wardround.scoring.rubrics.lint import rubric_problems
from wardround.scoring.rubrics.reader import ReadRubric, read_rubric

RUBRICS = ("sql_rubric", "results_rubric")


def may_write(record: Record, field: str, person: str) -> bool:
    """True if the person may write a field now; a validator may make small changes."""
    if not person or person in record.barred or record.state in (VALIDATED, REJECTED):
        return False
    if record.state == VALIDATION:
        return may_validate(record, person)
    return role_of(field) == record.state


def may_validate(record: Record, person: str) -> bool:
    """True if the person wrote no part of the item and finished no step of it."""
    annotators = {name for role, name in record.people.items() if role != VALIDATION}
    return bool(person) and person not in record.writers | annotators


def waits_for(record: Record, person: str, roles: Sequence[str]) -> str:
    """The role in which an item waits for a person who plays these roles; "" if it does not."""
    if record.state not in roles or person in record.barred:
        return ""
    if record.state == VALIDATION and not may_validate(record, person):
        return ""
    return next(role.title for role in store_form().roles if role.name == record.state)


def missing(record: Record, stored: str) -> list[str]:
    """The work that is missing before the current step is finished.

    Args:
        record: The item.
        stored: The stored result as CSV; "" if there is none.
    """
    if record.state == "query":
        return [] if record.field("question").text.strip() else ["Write the question."]
    if record.state == "sql":
        return [*_mapping_faults(record), *run_faults(record, stored)]
    if record.state == "guideline":
        return [fault for name in RUBRICS for fault in rubric_faults(name, record.field(name).text)]
    if record.state == VALIDATION:
        return [*run_faults(record, stored), *_answer_faults(record)]
    return []


def run_faults(record: Record, stored: str) -> list[str]:
    """The reasons why the stored result is not shown to be that of the present query."""
    run = record.ran
    if not record.field("sql").text.strip():
        return ["Write the gold query."]
    if run is None or run.text.strip() != record.field("sql").text.strip():
        return ["Run the query as it stands."]
    if run.values.get("error"):
        return ["Mend the query: its last run failed."]
    if run.values.get("result") != result_digest(stored):
        return ["Store the result: the stored one is not that of the last run."]
    return []


def rubric_faults(name: str, text: str) -> list[str]:
    """The faults of a rubric that forbid finishing it."""
    title = next(form.title for form in store_form().fields if form.name == name)
    if not text.strip():
        return [f"{title}: it is empty."]
    try:
        rubric = parse_rubric(text)
    except UserError as error:
        return [f"{title}: {error}"]
    problems = (*rubric.problems, *rubric_problems(rubric.root))
    return [f"{title}, {p.node}: {p.fault}." for p in problems if p.fatal]


def parse_rubric(text: str) -> ReadRubric:
    """Reads a rubric from its JSON text.

    Raises:
        UserError: It is not a rubric.
    """
    try:
        content = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        raise UserError("The rubric is not valid JSON; undo the last change.") from None
    return read_rubric(content)


def decision_faults(
    record: Record, stored: str, outcome: str, reason: str, person: str
) -> list[str]:
    """The reasons why a person may not decide so on an item.

    A validator other than its annotators decides. An accepted item has a run of the current query
    whose result equals the stored one, and a checklist without a "no".
    """
    if record.state != VALIDATION:
        return ["The item does not wait for a validator."]
    if not may_validate(record, person):
        return ["A validator is somebody who wrote no part of the item."]
    if outcome not in {each.name for each in store_form().outcomes}:
        return ["Choose an outcome."]
    if outcome != "as-is" and not reason.strip():
        return ["Justify the outcome."]
    if outcome in ("major", "reject"):
        return []
    rubrics = [fault for name in RUBRICS for fault in rubric_faults(name, record.field(name).text)]
    changed = _changed_by(record, person)
    if outcome == "as-is" and changed:
        return ["You changed the item; choose small changes as the outcome."]
    return [*run_faults(record, stored), *rubrics, *_answer_faults(record, all_yes=True)]


def annotator_roles() -> tuple[str, ...]:
    """The roles before the validator's, in order."""
    return step_names()[:-1]


def roles_back(state: str) -> tuple[str, ...]:
    """The roles that an item may be sent back to; a finished one is reopened for a validator."""
    steps = step_names()
    return steps[: steps.index(state)] if state in steps else (VALIDATION,)


def result_digest(csv: str) -> str:
    """A digest of a result, in any order of its rows; "" for no result.

    Raises:
        UserError: It is not a table.
    """
    if not csv.strip():
        return ""
    table = read_csv(csv, "The stored result")
    rows = sorted(tuple(cell or "" for cell in row) for row in table.rows)
    return sha256(repr((table.columns, rows)).encode()).hexdigest()


def _mapping_faults(record: Record) -> list[str]:
    texts: Mapping[str, str] = {
        form.name: record.field(form.name).text
        for form in store_form().fields
        if form.name.startswith(MAPPING)
    }
    named = ("mapping.tables", "mapping.columns")
    return [] if all(texts[name].strip() for name in named) else ["Record tables and columns."]


def _answer_faults(record: Record, *, all_yes: bool = False) -> list[str]:
    points = store_form().checklist
    open_points = sum(point.name not in record.answers for point in points)
    if open_points:
        return [f"Answer the checklist: {open_points} of {len(points)} points are open."]
    denied = sum(not record.answers[point.name] for point in points)
    return [f"Mend what {denied} points of the checklist deny."] if all_yes and denied else []


def _changed_by(record: Record, person: str) -> bool:
    return any(r.by == person and r.note in ("", "undone") for r in record.revisions)
