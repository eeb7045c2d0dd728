"""Question templates, and for each patient their answers and true resources."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wardround.ehr.fhir.interaction import FhirServer, Request
from wardround.ehr.fhir.mimic.kinds import resource_id

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """A kind of question.

    Attributes:
        name: its name.
        text: the question.
        answer: SQL whose rows are the answer.
        keys: SQL of kind and key of the true resources.
        values: SQL of values for `{name}`, the best first; "" if the text has none.
        assumption: what the agent may take for granted.
    """

    name: str
    text: str
    answer: str
    keys: str
    values: str = ""
    assumption: str = ""


_ADMISSIONS = "SELECT 'Encounter', CAST(hadm_id AS TEXT) FROM admissions WHERE subject_id={patient}"
_LABS = "FROM labevents JOIN d_labitems USING (itemid) WHERE subject_id = {patient}"
_LAB = f"{_LABS} AND label = '{{name}}' AND valuenum IS NOT NULL"
_LAB_KEYS = f"SELECT 'ObservationLabevents', CAST(labevent_id AS TEXT) {_LAB}"
_LAB_NAMES = (
    f"SELECT label {_LABS} AND valuenum IS NOT NULL GROUP BY label "
    "HAVING count(*) BETWEEN 2 AND 12 ORDER BY hash(label || '{patient}')"
)
_CODES = "FROM diagnoses_icd WHERE subject_id = {patient}"
_CODE_KEYS = "hadm_id || '-' || seq_num || '-' || upper(icd_code)"
_DRUGS = "FROM prescriptions WHERE subject_id = {patient} AND pharmacy_id IS NOT NULL"

TEMPLATES = (
    QuestionTemplate(
        "sex",
        "Is the patient female or male?",
        "SELECT CASE gender WHEN 'F' THEN 'female' ELSE 'male' END FROM patients "
        "WHERE subject_id = {patient}",
        "SELECT 'Patient', '{patient}'",
    ),
    QuestionTemplate(
        "admissions",
        "How many times was the patient admitted to the hospital?",
        "SELECT count(*) FROM admissions WHERE subject_id = {patient}",
        _ADMISSIONS,
        assumption="Stays in intensive care and in the emergency department are parts of "
        "admissions and do not count.",
    ),
    QuestionTemplate(
        "first admission",
        "When did the patient's first hospital admission begin?",
        "SELECT CAST(min(admittime) AS TEXT) FROM admissions WHERE subject_id = {patient}",
        _ADMISSIONS,
    ),
    QuestionTemplate(
        "intensive care",
        "How many stays in intensive care did the patient have?",
        "SELECT count(*) FROM icustays WHERE subject_id = {patient}",
        "SELECT 'EncounterICU', CAST(stay_id AS TEXT) FROM icustays WHERE subject_id = {patient}",
    ),
    QuestionTemplate(
        "has diagnosis",
        "Was the diagnosis with the ICD code {name} ever billed for the patient?",
        f"SELECT count(*) > 0 {_CODES} AND icd_code = '{{name}}'",
        f"SELECT 'Condition', {_CODE_KEYS} {_CODES} AND icd_code = '{{name}}'",
        f"SELECT icd_code {_CODES} ORDER BY hash(icd_code)",
    ),
    QuestionTemplate(
        "lacks diagnosis",
        "Was the diagnosis with the ICD code {name} ever billed for the patient?",
        f"SELECT count(*) > 0 {_CODES} AND icd_code = '{{name}}'",
        f"SELECT 'Condition', {_CODE_KEYS} {_CODES} AND icd_code = '{{name}}'",
        "SELECT icd_code FROM diagnoses_icd WHERE icd_code NOT IN "
        f"(SELECT icd_code {_CODES}) ORDER BY hash(icd_code || '{{patient}}')",
    ),
    QuestionTemplate(
        "diagnoses of a stay",
        "Which ICD codes were billed for the patient's last hospital admission?",
        f"SELECT icd_code {_CODES} AND hadm_id = (SELECT hadm_id FROM admissions WHERE "
        "subject_id = {patient} ORDER BY admittime DESC LIMIT 1) ORDER BY seq_num",
        f"SELECT 'Condition', {_CODE_KEYS} {_CODES} AND hadm_id = (SELECT hadm_id FROM admissions "
        "WHERE subject_id = {patient} ORDER BY admittime DESC LIMIT 1)",
    ),
    QuestionTemplate(
        "last lab",
        "What was the last value of {name} measured in the laboratory?",
        f"SELECT valuenum {_LAB} ORDER BY charttime DESC LIMIT 1",
        _LAB_KEYS,
        _LAB_NAMES,
        "The last value is that with the latest time of measurement.",
    ),
    QuestionTemplate(
        "highest lab",
        "What is the highest value of {name} that the laboratory ever measured?",
        f"SELECT max(valuenum) {_LAB}",
        _LAB_KEYS,
        _LAB_NAMES,
    ),
    QuestionTemplate(
        "mean lab",
        "What is the mean of all laboratory values of {name}?",
        f"SELECT round(avg(valuenum), 2) {_LAB}",
        _LAB_KEYS,
        _LAB_NAMES,
    ),
    QuestionTemplate(
        "count of labs",
        "How often did the laboratory measure {name}?",
        f"SELECT count(*) {_LAB}",
        _LAB_KEYS,
        _LAB_NAMES,
        "Results without a number do not count.",
    ),
    QuestionTemplate(
        "no such lab",
        "What was the first value of {name} measured in the laboratory?",
        f"SELECT valuenum {_LAB} ORDER BY charttime LIMIT 1",
        _LAB_KEYS,
        f"SELECT label FROM d_labitems WHERE label NOT IN (SELECT label {_LABS}) "
        "ORDER BY hash(label || '{patient}')",
    ),
    QuestionTemplate(
        "procedures",
        "How many procedures with an ICD code were billed for the patient?",
        "SELECT count(*) FROM procedures_icd WHERE subject_id = {patient}",
        f"SELECT 'Procedure', {_CODE_KEYS} FROM procedures_icd WHERE subject_id = {{patient}}",
    ),
    QuestionTemplate(
        "orders",
        "How many orders of drugs were written for the patient, counted by pharmacy order?",
        f"SELECT count(DISTINCT pharmacy_id) {_DRUGS}",
        f"SELECT DISTINCT 'MedicationRequest', CAST(pharmacy_id AS TEXT) {_DRUGS}",
    ),
)


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
