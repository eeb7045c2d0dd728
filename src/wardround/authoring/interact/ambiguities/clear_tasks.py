"""Clear tasks, of which ambiguous ones are made: a request, and the SQL that carries it out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from wardround.benchmarks.ehrsql.placeholders import runnable
from wardround.benchmarks.interact.declaration import CURRENT_TIME
from wardround.benchmarks.interact.published import Kind, PublishedConditions
from wardround.benchmarks.interact.tasks import Category, Conditions
from wardround.benchmarks.kit.record_fields import Ids, Named, Texts
from wardround.core.errors import UserError


@dataclass(frozen=True, slots=True)
class ClearTask:
    """A task without ambiguity.

    Attributes:
        id: Its name.
        database: The database's name.
        request: The full request.
        gold: The statements that carry it out.
        category: A question or a change.
        conditions: The conditions of the comparison of results.
        knowledge: The ids of the entries of the knowledge base that it is built on.
        tests: Programs that check the state.
    """

    id: str
    database: str
    request: str
    gold: tuple[str, ...]
    category: Category = "BI"
    conditions: Conditions = field(default_factory=Conditions)
    knowledge: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()


class _Record(BaseModel):
    """A line in BIRD-Interact's form; of EHRSQL's, whose `query` is SQL, `_renamed` makes one."""

    model_config = ConfigDict(extra="ignore")

    id: Named = Field(validation_alias=AliasChoices("instance_id", "id"))
    selected_database: str = ""
    query: Named
    sol_sql: Annotated[Texts, Field(min_length=1)]
    category: Kind = "BI"
    conditions: Annotated[PublishedConditions, BeforeValidator(lambda found: found or {})] = (
        PublishedConditions()
    )
    external_knowledge: Ids = ()
    test_cases: Texts = ()


def read_clear(path: Path, database: str) -> tuple[ClearTask, ...]:
    """Reads clear tasks from JSON Lines, or from a JSON list as EHRSQL 1.5 has it.

    EHRSQL's questions that cannot be answered are passed over.

    Args:
        path: The file.
        database: The name of the database of those that name none.

    Raises:
        UserError: The file is missing, or a task in it cannot be used.
    """
    if not path.is_file():
        raise UserError(f"The file of clear tasks {path} does not exist; check --from.")
    found: dict[str, ClearTask] = {}
    for where, record in _records(path):
        if isinstance(record, dict) and record.get("is_impossible"):
            continue
        task = _task(record, database, where)
        if task.id in found:
            raise UserError(f"{where}: the id {task.id} was used before; give it another.")
        found[task.id] = task
    if not found:
        raise UserError(f"{path} holds no clear task; check --from.")
    return tuple(found.values())


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    content = path.read_bytes()
    listed = content.lstrip().startswith(b"[")
    lines = enumerate([content] if listed else content.splitlines(), start=1)
    for number, line in lines:
        if line.strip():
            found = _loaded(line, f"{path}, line {number}")
            for place, one in enumerate(found if listed else [found], start=number):
                yield f"{path}, {'task' if listed else 'line'} {place}", one


def _loaded(line: bytes, where: str) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{where} is not valid JSON ({error}); mend it.") from None


def _renamed(record: Any) -> Any:
    """Turns a record of EHRSQL's form into ours, with its SQL's placeholders filled."""
    if isinstance(record, dict) and "question" in record and isinstance(record.get("query"), str):
        sql = runnable(record["query"], record.get("current_time") or CURRENT_TIME)
        return {**record, "query": record["question"], "sol_sql": sql}
    return record


def _task(record: Any, database: str, where: str) -> ClearTask:
    try:
        one = _Record.model_validate(_renamed(record))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "the task"
        raise UserError(f"{where}: {field}: {problem['msg']}; mend it.") from None
    decimals = one.conditions.decimal
    return ClearTask(
        one.id,
        one.selected_database or database,
        one.query.strip(),
        tuple(statement.strip() for statement in one.sol_sql),
        one.category,
        Conditions(
            one.conditions.order, one.conditions.distinct, None if decimals < 0 else decimals
        ),
        one.external_knowledge,
        one.test_cases,
    )
