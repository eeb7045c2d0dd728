"""FHIR-AgentBench's questions, read from the published CSV."""

import ast
import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.kit.published_files import (
    FileRecord,
    read_file,
    suite_of,
    validated,
    with_tasks,
)
from wardround.benchmarks.kit.record_fields import Named, Record
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.core.task import Defect, Suite, Task
from wardround.scoring.written_answers import Row

TYPES = (
    "Patient",
    "Encounter",
    "Condition",
    "MedicationRequest",
    "Procedure",
    "Observation",
    "MedicationAdministration",
    "Location",
    "Specimen",
    "Medication",
)
_SUITE = "wardround.benchmarks.fhiragentbench.suite"
_NEEDED = {"question_id", "question", "true_answer", "true_fhir_ids"}
_LONGEST_FIELD = 1 << 24


@dataclass(frozen=True, slots=True)
class Question:
    """The part of a task that the agent may know."""

    text: str
    patient: str
    assumption: str


@dataclass(frozen=True, slots=True)
class Gold:
    """The part of a task that only its graders may know.

    Attributes:
        answer: the rows of the answer in the file; empty for no answer.
        resources: the ids of the resources that hold the answer, by type.
        sql: the query for the answer; "" without one.
    """

    answer: tuple[Row, ...]
    resources: Mapping[str, tuple[str, ...]]
    sql: str


FhirTask: TypeAlias = Task[Question, Gold]


class _Published(Record):
    """A row of the published file."""

    question_id: Named
    question: Named
    true_answer: str
    true_fhir_ids: str
    sql_query: str = ""
    assumption: str = ""
    patient_fhir_id: str = ""
    template: str = ""
    split: str = ""


def load_tasks(source: Path) -> Suite:
    """Reads a published file.

    Raises:
        UserError: there is no such file, it lacks a column, or no row can be read.
    """
    text = read_file(source).decode("utf-8-sig", "replace")
    return with_tasks(_suite(text, str(source)), source)


def shipped_tasks() -> Suite:
    """The questions on the made record."""
    return _suite(read_text(_SUITE, "questions.csv"), "the shipped suite")


def _suite(text: str, source: str) -> Suite:
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.DictReader(StringIO(text, newline=""))
    if missing := sorted(_NEEDED.difference(reader.fieldnames or ())):
        raise UserError(f"{source} lacks the column {missing[0]}; name a published file.")
    return suite_of(_records(reader, source), _task, source)


def _records(reader: "csv.DictReader[str]", source: str) -> Iterator[FileRecord]:
    try:
        for row in reader:
            fields = {name: value for name, value in row.items() if name and value is not None}
            yield FileRecord(f"{source}, line {reader.line_num}", fields)
    except csv.Error as error:
        raise UserError(f"{source}, line {reader.line_num}: {error}; fix the file.") from None


def _task(record: FileRecord) -> FhirTask | Defect:
    published = validated(record, _Published)
    if isinstance(published, Defect):
        return published
    resources = _resources(published.true_fhir_ids)
    if isinstance(resources, str):
        return Defect(record.where, f"true_fhir_ids: {resources}")
    gold = Gold(answer_rows(published.true_answer), resources, published.sql_query.strip())
    labels = {
        "types": " + ".join(resources) or "none",
        "split": published.split,
        "template": published.template,
    }
    question = Question(published.question, published.patient_fhir_id, published.assumption)
    return Task(published.question_id, question, gold, labels)


def _resources(text: str) -> dict[str, tuple[str, ...]] | str:
    """The ids by type, or the fault of the field."""
    value = _literal(text) if text.strip() else {}
    match value:
        case None:
            return {}
        case dict():
            unknown = [kind for kind in value if kind not in TYPES]
            if unknown:
                return f"{unknown[0]!r} is none of the ten types"
            if not all(isinstance(ids, list | tuple | set) for ids in value.values()):
                return "the ids of a type are not a list"
            return {kind: tuple(map(str, ids)) for kind, ids in value.items() if ids}
    return "not a Python dictionary of types and ids"


def answer_rows(text: str) -> tuple[Row, ...]:
    """The rows of an answer: a Python literal, or a text; empty for no answer.

    >>> answer_rows("[['aspirin'], ['heparin']]"), answer_rows("3"), answer_rows("[]")
    ((('aspirin',), ('heparin',)), ((3,),), ())
    """
    value = _literal(text) if text.strip() else None
    items = value if isinstance(value, list | tuple | set) else [value]
    rows = (tuple(item) if isinstance(item, list | tuple) else (item,) for item in items)
    return tuple(row for row in rows if any(cell is not None for cell in row))


def _literal(text: str) -> Any:
    """The value of a Python literal, or the text itself."""
    if text.strip().lower() in ("null", "nan", "none"):
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip()
