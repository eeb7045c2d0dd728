"""FHIR-AgentBench's tasks, read from the published CSV file."""

import ast
import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.kit.published_files import read_file
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.task import Defect, Suite, Task

RESOURCE_TYPES = (
    *("Patient", "Encounter", "Condition", "MedicationRequest", "Procedure", "Observation"),
    *("MedicationAdministration", "Location", "Specimen", "Medication"),
)
_SUITE = "wardround.benchmarks.fhiragentbench.suite"
_NEEDED = ("question_id", "question", "true_answer", "patient_fhir_id", "true_fhir_ids")
# A bracket, a quoted text, or a word of a printed list.
_PRINTED = re.compile(
    r"""([\[\]])|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([^\s,\[\]]+)""", re.DOTALL
)
_MOST_LETTERS = 16 * 1024 * 1024  # a field lists thousands of ids


@dataclass(frozen=True, slots=True)
class Question:
    """The part of a task that the agent may know."""

    text: str
    patient: str
    assumption: str = ""

    @property
    def request(self) -> str:
        """The question with its context, as the agent gets it."""
        lines = [f"Question: {self.text}", "Context:", f"Patient FHIR ID is {self.patient}."]
        return "\n".join([*lines, self.assumption] if self.assumption else lines)


@dataclass(frozen=True, slots=True)
class Gold:
    """The part of a task that only its graders may know.

    Attributes:
        answer: the expected answer: a value, a list, or none.
        ids: the ids of the resources that it rests on, by type, which may have none; without a
            type there is no answer.
        sql: the query that gives the answer on the relational database; "" if there is none.
    """

    answer: Any
    ids: Mapping[str, tuple[str, ...]]
    sql: str = ""


FhirTask: TypeAlias = Task[Question, Gold]


def load_tasks(source: Path) -> Suite:
    """Reads a published file.

    Raises:
        UserError: there is no such file, or it lacks a column.
    """
    return _suite(read_file(source).decode("utf-8-sig", "replace"), str(source))


def shipped_tasks() -> Suite:
    """The questions on the made record."""
    return _suite(read_text(_SUITE, "questions.csv"), "the shipped suite")


def literal(text: str) -> Any:
    """The value of a Python literal; the text itself if it is none, None if it is empty.

    >>> literal("{'Patient': ['1']}"), literal("2100-01-01"), literal(" ")
    ({'Patient': ['1']}, '2100-01-01', None)
    """
    if not text.strip():
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip()


def printed_value(text: str) -> Any:
    r"""The value of a cell: a list as NumPy or Python prints it, or a single value.

    >>> printed_value("[['a b' 'c']\n ['d' None]]"), printed_value("[[201.]]"), printed_value("[]")
    ([['a b', 'c'], ['d', None]], [[201.0]], [])
    >>> printed_value("2100-01-01"), printed_value(" ")
    ('2100-01-01', None)
    """
    if not text.strip().startswith("["):
        return literal(text)
    rows: list[list[Any]] = [[]]
    for sign, quoted, word in _PRINTED.findall(text):
        if sign == "[":
            rows.append([])
        elif sign == "]" and len(rows) > 1:
            ended = rows.pop()
            rows[-1].append(ended)
        elif quoted or word:
            rows[-1].append(_item(quoted or word))
    return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else text.strip()


def _item(text: str) -> Any:
    """A word or a quoted text of a printed list."""
    return None if text in ("nan", "None", "NaT") else literal(text)


def _suite(content: str, source: str) -> Suite:
    csv.field_size_limit(_MOST_LETTERS)
    rows = csv.DictReader(io.StringIO(content, newline=""))
    if missing := [name for name in _NEEDED if name not in (rows.fieldnames or ())]:
        raise UserError(f"{source} has no column {missing[0]}; name the published CSV file.")
    tasks, defects = dict[str, FhirTask](), list[Defect]()
    for task in _tasks(rows, source):
        if isinstance(task, Defect):
            defects.append(task)
        elif task.id in tasks:
            defects.append(Defect(task.id, "the id was used before"))
        else:
            tasks[task.id] = task
    return Suite(tuple(tasks.values()), tuple(defects), source)


def _tasks(rows: "csv.DictReader[str]", source: str) -> Iterator[FhirTask | Defect]:
    for row in rows:
        where = f"{source}, line {rows.line_num}"
        cells = {name: cell or "" for name, cell in row.items() if isinstance(name, str)}
        ids = literal(cells["true_fhir_ids"])
        if not cells["question_id"] or not cells["question"]:
            yield Defect(where, "question: it is empty")
        elif not _are_ids_by_type(ids):
            yield Defect(where, "true_fhir_ids: it is not a dictionary of lists by resource type")
        else:
            yield _task(cells, ids or {})


def _are_ids_by_type(ids: Any) -> bool:
    """True for a dictionary of lists by the benchmark's types, and for nothing."""
    if not isinstance(ids, dict):
        return ids is None
    lists = all(isinstance(several, list | tuple) for several in ids.values())
    return lists and set(ids) <= set(RESOURCE_TYPES)


def _task(cells: Mapping[str, str], ids: Mapping[str, Any]) -> FhirTask:
    public = Question(
        cells["question"], literal_text(cells["patient_fhir_id"]), cells.get("assumption", "")
    )
    gold = Gold(
        printed_value(cells["true_answer"]),
        {type: tuple(map(str, several)) for type, several in ids.items()},
        cells.get("sql_query", ""),
    )
    answered = "answer" if gold.ids else "no answer"
    labels = {"types": f"{{{', '.join(sorted(gold.ids))}}}", "answer": answered}
    labels |= {"split": cells["split"]} if cells.get("split") else {}
    return Task(cells["question_id"], public, gold, labels)


def literal_text(text: str) -> str:
    """A cell without the brackets of a list of one."""
    value = literal(text)
    if isinstance(value, list):
        return str(value[0]) if value else ""
    return "" if value is None else text.strip()
