"""From a definition to a published task: runs its SQL on a hospital and checks what comes out."""

from collections.abc import Sequence
from typing import Any

import orjson

from wardround.authoring.chatqa.definitions import Definition
from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.ehr.database import Database, QueryError
from wardround.scoring.numerals import in_words
from wardround.scoring.results import column_matches

DATABASE = "mimic_iv_star"


def make_suite(
    definitions: Sequence[Definition], database: Database, seconds: float = 1.0
) -> bytes:
    """The suite as JSON Lines in the published form, gold answers included.

    Args:
        definitions: what to make, in this order.
        database: the hospital that the tasks are about.
        seconds: how long one statement may take.

    Raises:
        UserError: a task is not sound on this hospital.
    """
    tasks = (make_task(definition, database, seconds) for definition in definitions)
    return b"".join(orjson.dumps(task.model_dump(exclude_defaults=True)) + b"\n" for task in tasks)


def make_task(definition: Definition, database: Database, seconds: float = 1.0) -> PublishedTask:
    """One task with its gold answer.

    Raises:
        UserError: the task is not sound on this hospital.
    """
    try:
        rows = _run(definition.sql, database, seconds)
        task = _published(definition, rows)
        problem = check_gold(task.as_task(), database, Limits(statement_seconds=seconds))
        problem = problem or _empty(rows) or _needless_talk(definition, rows, database, seconds)
    except QueryError as error:
        problem = f"a statement fails ({error}); mend the task."
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
    """Why there is nothing to find out: an answer must hold a value."""
    empty = all(cell is None for row in rows for cell in row)
    return "its answer holds no value; mend the task." if empty else ""


def _needless_talk(
    definition: Definition, rows: list[list[Any]], database: Database, seconds: float
) -> str:
    """Why the task could be answered before the user has said everything, or nothing."""
    if definition.flow == "adapt":
        absent = _run(definition.absent, database, seconds)
        present = any(cell for row in absent for cell in row)
        return "what is asked for first is in the records; mend absent." if present else ""
    if not definition.constraints:
        return "it names no constraint; fill in constraints."
    for constraint in definition.constraints:
        if definition.sql.count(constraint) != 1:
            return f"its constraint {constraint!r} is not in sql once; mend constraints."
        if column_matches(rows, _run(definition.sql.replace(constraint, ""), database, seconds)):
            return f"leaving out {constraint!r} changes nothing; mend the task."
    return ""


def _answer(definition: Definition, rows: list[list[Any]]) -> list[list[Any]]:
    if definition.form == "words":
        return [[in_words(int(cell)) for cell in row] for row in rows]
    return rows


def _run(sql: str, database: Database, seconds: float) -> list[list[Any]]:
    return [list(row) for row in database.execute(sql, rows=None, seconds=seconds).rows]


def _one_line(text: str) -> str:
    return " ".join(text.split())
