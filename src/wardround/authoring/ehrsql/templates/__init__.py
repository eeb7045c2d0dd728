"""EHRSQL's question templates: wordings and SQL over any record, with slots.

Slots hold values of the database, operations and times. `values`, `operations_for` and
`time_choices` give what a template's slots may hold; `question` and `query` fill them.

>>> asked = question_template("has-drug")
>>> asked.values, asked.operations, asked.times["global1"]
(('patient_id', 'drug_name'), (), 'visit, month or year')
>>> values = {"patient_id": 7, "drug_name": "aspirin"}
>>> question(asked, Slots(values, times=TimeTag(global1=time_filter("rel-hosp-first"))))
'Was patient 7 prescribed aspirin on the first hospital visit?'
>>> print(query(asked, load_records("eicu_star"), Slots(values), "postgres"))  # doctest: +ELLIPSIS
SELECT COUNT(*) > 0 FROM prescription WHERE prescription.unit_id IN (SELECT icupatient.unit_id ...
"""

from wardround.authoring.ehrsql.templates.layout_tables import load_records
from wardround.authoring.ehrsql.templates.question_sql import query, templates_for, why_not
from wardround.authoring.ehrsql.templates.question_text import Slots, Value, question
from wardround.authoring.ehrsql.templates.slot_choices import operations_for, time_choices
from wardround.authoring.ehrsql.templates.templates import (
    QuestionTemplate,
    all_question_templates,
    all_templates,
    question_template,
    unanswerable_templates,
)
from wardround.ehr.times import TimeTag, time_filter

__all__ = [
    "QuestionTemplate",
    "Slots",
    "TimeTag",
    "Value",
    "all_question_templates",
    "all_templates",
    "load_records",
    "operations_for",
    "query",
    "question",
    "question_template",
    "templates_for",
    "time_choices",
    "time_filter",
    "unanswerable_templates",
    "why_not",
]
