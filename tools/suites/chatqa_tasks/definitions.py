"""Makes the shipped tasks from their definitions, with gold answers, and checks them."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.tasks import Flow, PublishedTask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.packaged_data import read_text
from wardround.ehr.database import Database, QueryError
from wardround.ehr.text.numerals import in_words
from wardround.scoring.results import column_matches

DATABASE = "mimic_iv_star"

Form: TypeAlias = Literal["stored", "words"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A task before its gold answer is computed.

    Attributes:
        id: unique within its flow.
        flow: "incre" or "adapt".
        instruction: the instruction of the simulated user.
        sql: the gold query.
        constraints: fragments of the gold query, one for each constraint that the user may add
            late; leaving one out must change the result (IncreQA).
        category: one of the eight of Table 10 (AdaptQA).
        form: the form of the single gold value: as stored, or a whole number in words
            (AdaptQA; A.6.2).
        absent: a query for the user's first request, which must return nothing (AdaptQA).
    """

    id: str
    flow: Flow
    instruction: str
    sql: str
    constraints: tuple[str, ...] = ()
    category: str = ""
    form: Form = "stored"
    absent: str = ""


def shipped_definitions() -> tuple[Definition, ...]:
    """Reads the definitions of the shipped suite."""
    return read_definitions(read_text(__package__, "suite.toml"))


def read_definitions(text: str) -> tuple[Definition, ...]:
    """Reads definitions, an array `task` of tables, from TOML.

    Raises:
        ValueError: the text is not TOML, or a task has a missing, invalid or unknown field.
    """
    tasks = tomllib.loads(text)["task"]
    known = set(Definition.__dataclass_fields__)
    for task in tasks:
        if unknown := task.keys() - known:
            raise ValueError(f"Task {task['id']} has the unknown field {min(unknown)}; remove it.")
    return TypeAdapter(tuple[Definition, ...]).validate_python(tasks)


def make_suite(
    definitions: Sequence[Definition], database: Database, seconds: float = 1.0
) -> bytes:
    """Makes the suite as JSON Lines in the published form, with gold answers.

    Args:
        definitions: the tasks' definitions, in the order of the suite.
        database: the hospital of the tasks.
        seconds: the time limit of each statement.

    Raises:
        UserError: a task is not sound on this hospital.
    """
    tasks = (make_task(definition, database, seconds) for definition in definitions)
    return json_lines(task.model_dump(exclude_defaults=True) for task in tasks)


def make_task(definition: Definition, database: Database, seconds: float = 1.0) -> PublishedTask:
    """Makes a task with its gold answer.

    Raises:
        UserError: the task is not sound on this hospital.
    """
    try:
        rows = _run(definition.sql, database, seconds)
        task = _published(definition, rows)
        problem = check_gold(task.as_task(), database, Limits(statement_seconds=seconds))
        problem = problem or _empty(rows) or _needless_dialogue(definition, rows, database, seconds)
    except QueryError as error:
        problem = f"a statement fails ({error}); fix the task."
    if problem:
        raise UserError(f"Task {definition.flow} {definition.id}: {problem}")
    return task


def _published(definition: Definition, rows: list[list[Any]]) -> PublishedTask:
    return PublishedTask(
        task_id=definition.id,
        task_type=definition.flow,
        db_id=DATABASE,
        instruction=_one_line(definition.instruction),
        gold_sql=_one_line(definition.sql),
        gold_answer=_answer(definition, rows),
        category=definition.category,
    )


def _empty(rows: list[list[Any]]) -> str:
    """The problem of an answer without values; "" if it has one."""
    empty = all(cell is None for row in rows for cell in row)
    return "its answer holds no value; fix the task." if empty else ""


def _needless_dialogue(
    definition: Definition, rows: list[list[Any]], database: Database, seconds: float
) -> str:
    """The reason why a part of the dialogue is not needed; "" if all of it is."""
    if definition.flow == "adapt":
        absent = _run(definition.absent, database, seconds)
        present = any(cell for row in absent for cell in row)
        return "what is asked for first is in the records; fix absent." if present else ""
    if not definition.constraints:
        return "it names no constraint; fill in constraints."
    for constraint in definition.constraints:
        if definition.sql.count(constraint) != 1:
            return f"{constraint!r} does not occur exactly once in sql; fix constraints."
        if column_matches(rows, _run(definition.sql.replace(constraint, ""), database, seconds)):
            return f"leaving out {constraint!r} changes nothing; fix the task."
    return ""


def _answer(definition: Definition, rows: list[list[Any]]) -> list[list[Any]]:
    if definition.form == "words":
        return [[in_words(int(cell)) for cell in row] for row in rows]
    return rows


def _run(sql: str, database: Database, seconds: float) -> list[list[Any]]:
    return [list(row) for row in database.execute(sql, rows=None, seconds=seconds).rows]


def _one_line(text: str) -> str:
    return " ".join(text.split())
