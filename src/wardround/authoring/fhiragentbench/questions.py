"""Fills templates for patients, and computes answers and true resources."""

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wardround.authoring.fhiragentbench.templates import TEMPLATES, QuestionTemplate
from wardround.ehr.fhir.interaction import FhirServer, Request
from wardround.ehr.fhir.mimic.kinds import resource_id

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COUNT = 40
COLUMNS = (
    *("split", "question_id", "question", "sql_query", "true_answer", "assumption"),
    *("patient_fhir_id", "template", "true_fhir_ids"),
)
# Kinds of resources whose name is not that of their type.
_TYPES = {"ObservationLabevents": "Observation", "EncounterICU": "Encounter"}
_FEW = 60  # the most resources that an answer may rest on


def make_questions(hospital: "DuckDBPyConnection", server: FhirServer) -> str:
    """The questions as CSV in the published form.

    Args:
        hospital: the hospital that the record was made of.
        server: the record.
    """
    text = io.StringIO()
    rows = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(_questions(hospital, server))
    return text.getvalue()


def _questions(hospital: "DuckDBPyConnection", server: FhirServer) -> Iterator[dict[str, Any]]:
    ordered = hospital.execute("SELECT subject_id FROM patients ORDER BY subject_id")
    patients = [id for (id,) in ordered.fetchall()]
    number = 0
    while number < COUNT:
        template = TEMPLATES[number % len(TEMPLATES)]
        start = number * 7 % len(patients)
        for patient in (*patients[start:], *patients[:start]):
            if question := _question(template, patient, hospital, server):
                yield {"split": "made", "question_id": f"made-{number + 1:02d}", **question}
                break
        number += 1


def _question(
    template: QuestionTemplate, patient: int, hospital: "DuckDBPyConnection", server: FhirServer
) -> dict[str, Any] | None:
    """A question about a patient; None if it does not suit the patient."""
    words = {"patient": patient, "name": ""}
    if template.values:
        record = hospital.execute(template.values.format(**words)).fetchone()
        if record is None:
            return None
        words["name"] = str(record[0]).replace("'", "''")
    sql = template.answer.format(**words)
    answer = [list(row) for row in hospital.execute(sql).fetchall()]
    keys = hospital.execute(template.keys.format(**words)).fetchall()
    if len(keys) > _FEW:
        return None
    ids: dict[str, list[str]] = {}
    for kind, key in keys:
        ids.setdefault(_TYPES.get(kind, kind), []).append(resource_id(kind, key))
    _check(ids, server)
    return {
        "question": template.text.format(**words).replace("''", "'"),
        "sql_query": sql,
        "true_answer": repr(answer) if answer else "",
        "assumption": template.assumption,
        "patient_fhir_id": resource_id("Patient", str(patient)),
        "template": template.name,
        "true_fhir_ids": repr(ids) if ids else "",
    }


def _check(ids: dict[str, list[str]], server: FhirServer) -> None:
    """Fails if the record lacks one of the resources."""
    for type, several in ids.items():
        for id in several:
            status = server.handle(Request("GET", f"{type}/{id}")).status
            if status != 200:
                raise LookupError(f"{type}/{id} is not in the record ({status})")
