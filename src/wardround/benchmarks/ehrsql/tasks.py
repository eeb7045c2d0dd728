"""EHRSQL tasks: the published files of EHRSQL 1.5 and of EHRSQL 2024, unchanged."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from wardround.benchmarks.ehrsql.tags import (
    departments,
    patient_scope,
    scope_of_query,
    time_expression,
    time_filters,
    time_of_query,
)
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task

NULL = "null"

# When the records end that the files ask about: the paper's (3.2), and EHRSQL 2024's.
TIMES = {"ehrsql-1.5": "2105-12-31 23:59:00", "ehrsql-2024": "2100-12-31 23:59:00"}

Rows: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class EhrsqlPublic:
    """What the agent may know: the question, and the time that it takes for now."""

    question: str
    now: str


@dataclass(frozen=True, slots=True)
class EhrsqlHidden:
    """What only the scorer may know.

    Attributes:
        gold: the gold SQL, "null" where the question cannot be answered, None where no label is
            known.
        form: which of the published forms the file has, which is also how it is graded.
        answer: the published answer's rows as texts, where there is one.
    """

    gold: str | None
    form: str
    answer: Rows | None = None


EhrsqlTask: TypeAlias = Task[EhrsqlPublic, EhrsqlHidden]


class Tagged(BaseModel):
    """A question as either form has it; EHRSQL 2024 leaves out all but id and question.

    `current_time` is ours and optional: when the records end that the question asks about.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    question: str
    db_id: str = ""
    query: str | None = None
    template: str = ""
    q_tag: str = ""
    t_tag: list[str] | None = None
    importance: str | None = None
    department: list[str] | str | None = None
    current_time: str | None = None

    def labels(self, gold: str | None) -> dict[str, str]:
        """What results are broken down by; what neither tags nor gold tell is left out."""
        tags = self.t_tag
        sql = "" if gold in (None, NULL) else gold
        found = {
            "kind": {None: "unlabelled", NULL: "unanswerable"}.get(gold, "answerable"),
            "database": self.db_id,
            "template": self.q_tag or self.template,
            "scope": patient_scope(self.q_tag) if self.q_tag else sql and scope_of_query(sql),
            "time": sql and time_of_query(sql) if tags is None else time_expression(tags),
            "time_filters": "" if tags is None else time_filters(tags),
            "importance": self.importance or "",
            "department": departments(self.department),
        }
        return {name: value for name, value in found.items() if value}


class _Data(BaseModel):
    """`data.json` of EHRSQL 2024; `current_time` and `database` are ours and optional."""

    data: list[dict[str, Any]]
    current_time: str | None = None
    database: str = ""

    def shared(self) -> dict[str, Any]:
        """What holds for each question that does not say otherwise."""
        return {"db_id": self.database, "current_time": self.current_time}


def load_tasks(path: Path) -> Suite:
    """Reads a published file, or a folder with one.

    A JSON array is EHRSQL 1.5. A folder with `data.json` is EHRSQL 2024: the labels are read
    from `label.json` and the answers from `answer.json` beside it, where they are.

    Raises:
        UserError: nothing of either form is there, or not one question can be read.
    """
    path = path.expanduser()
    folder = path if path.is_dir() else path.parent
    if (path.is_dir() or path.name in _PARTS) and (folder / DATA).is_file():
        suite = _load_2024(folder)
    else:
        file = _only_file(path) if path.is_dir() else path
        suite = _suite(_load_1_5(file), file)
    if not suite.tasks:
        first = f": {suite.defects[0].where}: {suite.defects[0].reason}" if suite.defects else ""
        raise UserError(f"{path} holds no question that can be read{first}; check the file.")
    return suite


def at_time(suite: Suite, now: str | None) -> Suite:
    """The suite with this for its current time; None leaves it as it is."""
    if now is None:
        return suite
    tasks = (replace(task, public=replace(task.public, now=now)) for task in suite.tasks)
    return replace(suite, tasks=tuple(tasks))


DATA, LABEL, ANSWER = "data.json", "label.json", "answer.json"
_PARTS = (DATA, LABEL, ANSWER)


def _load_1_5(path: Path) -> Iterator[tuple[str, EhrsqlTask | Defect]]:
    items = _json(path)
    if not isinstance(items, list):
        raise UserError(
            f"{path} holds no array of questions as EHRSQL 1.5 has it; name such a file, or the "
            f"folder of {DATA} for EHRSQL 2024."
        )
    for number, item in enumerate(items, start=1):
        where = f"{path}, question {number}"
        found = _tagged(item, where)
        if isinstance(found, Tagged):
            gold = NULL if found.query == NULL else found.query
            yield where, _task(found, gold, "ehrsql-1.5")
        else:
            yield where, found


def _load_2024(folder: Path) -> Suite:
    labels, written = (_mapping(folder / name) for name in (LABEL, ANSWER))
    answers = {id: _rows(text, folder / ANSWER, id) for id, text in (written or {}).items()}
    suite = _suite(_questions_2024(folder / DATA, labels, answers), folder)
    asked = {task.id for task in suite.tasks}
    left = [Defect(str(folder / LABEL), f"{id} labels no question") for id in labels or ()]
    strangers = tuple(d for d in left if d.reason.split()[0] not in asked)
    return Suite(suite.tasks, suite.defects + strangers, suite.source)


def _questions_2024(
    path: Path, labels: Mapping[str, str] | None, answers: Mapping[str, Rows | None]
) -> Iterator[tuple[str, EhrsqlTask | Defect]]:
    data = _data(path)
    for number, item in enumerate(data.data, start=1):
        where = f"{path}, question {number}"
        found = _tagged(data.shared() | item, where)
        if isinstance(found, Defect):
            yield where, found
        elif labels is not None and found.id not in labels:
            yield where, Defect(where, f"{found.id} has no label in {LABEL}")
        else:
            gold = None if labels is None else labels[found.id]
            yield where, _task(found, gold, "ehrsql-2024", answers.get(found.id))


def _task(found: Tagged, gold: str | None, form: str, answer: Rows | None = None) -> EhrsqlTask:
    return Task(
        found.id,
        EhrsqlPublic(found.question, found.current_time or TIMES[form]),
        EhrsqlHidden(gold, form, answer),
        found.labels(gold),
    )


def _suite(found: Iterator[tuple[str, EhrsqlTask | Defect]], source: Path) -> Suite:
    tasks: dict[str, EhrsqlTask] = {}
    defects: list[Defect] = []
    for where, task in found:
        if isinstance(task, Defect):
            defects.append(task)
        elif task.id in tasks:
            defects.append(Defect(where, f"the id {task.id} was used before"))
        else:
            tasks[task.id] = task
    return Suite(tuple(tasks.values()), tuple(defects), str(source))


def _tagged(item: Any, where: str) -> Tagged | Defect:
    try:
        return Tagged.model_validate(item)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "question"
        return Defect(where, f"{field}: {problem['msg']}")


def _data(path: Path) -> _Data:
    try:
        return _Data.model_validate(_json(path))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise UserError(
            f"{path} is no {DATA} of EHRSQL 2024 ({problem['msg']}); check the file."
        ) from None


def _mapping(path: Path) -> dict[str, str] | None:
    """The file's texts by id; None where there is no file."""
    if not path.is_file():
        return None
    found = _json(path)
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise UserError(f"{path} is no object of texts by question id; check the file.")
    return found


def _rows(written: str, path: Path, id: str) -> Rows | None:
    """An answer's rows, written as a Python list of lists of texts; "null" is no answer."""
    if written == NULL:
        return None
    try:
        return tuple(tuple(map(str, row)) for row in ast.literal_eval(written))
    except (ValueError, SyntaxError, TypeError):
        raise UserError(
            f"{path}: the answer of {id} is no list of rows; restore the file as published."
        ) from None


def _json(path: Path) -> Any:
    if not path.is_file():
        raise UserError(f"The file {path} does not exist; check the path.")
    try:
        return orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path} is not valid JSON ({error}); mend the file.") from None


def _only_file(folder: Path) -> Path:
    """The one file of EHRSQL 1.5 in a folder, its `tables.json` aside."""
    found = [path for path in sorted(folder.glob("*.json")) if path.name != "tables.json"]
    if len(found) != 1:
        raise UserError(
            f"{folder} has neither {DATA} nor exactly one other JSON file; name the file of "
            "EHRSQL 1.5, or the folder of EHRSQL 2024."
        )
    return found[0]
