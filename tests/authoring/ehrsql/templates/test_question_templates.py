"""Question templates are complete, consistent, and cover the published kinds."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from wardround.authoring.ehrsql.templates.layout_tables import LAYOUTS, load_records
from wardround.authoring.ehrsql.templates.question_sql import templates_for
from wardround.authoring.ehrsql.templates.slot_choices import all_operations, time_choices
from wardround.authoring.ehrsql.templates.templates import (
    TIME_SLOTS,
    QuestionTemplate,
    all_question_templates,
    question_template,
    unanswerable_templates,
)
from wardround.ehr.times import all_templates

HERE = Path(__file__).parent
PUBLISHED = HERE.parents[3] / ".." / "shared" / "data" / "ehrsql-1.5"
TEMPLATES = all_question_templates()
# The slots for values (Table 10), and two that EHRSQL 1.5 distinguishes by number.
VALUES = {
    "abbreviation", "admission_route", "careunit", "culture_name", "diagnosis_name", "drug_name",
    "drug_route", "gender", "intake_name", "lab_name", "lab_value", "output_name", "patient_id",
    "procedure_name", "vital_name", "vital_value", "ward_id",
}  # fmt: skip


def test_every_kind_of_the_paper_exists() -> None:
    scopes = Counter(template.scope for template in TEMPLATES if not template.released)
    assert scopes == {"none": 6, "single": 111, "group": 57}
    assert len({template.id for template in TEMPLATES}) == len(TEMPLATES)
    assert len({template.question for template in TEMPLATES}) == len(TEMPLATES)


def test_every_category_has_unanswerable_templates() -> None:
    categories = Counter(template.category for template in unanswerable_templates())
    assert categories == {
        "external knowledge": 15,
        "other departments": 9,
        "personal details": 8,
        "judgement": 8,
        "appointments": 7,
        "staff": 6,
        "reasons": 6,
        "ambiguous": 6,
        "consent": 5,
    }


@for_each(TEMPLATES)
def test_wordings_have_the_template_s_slots(template: QuestionTemplate) -> None:
    slots = {slot for slot in TIME_SLOTS if f"{{{slot}}}" in template.question}
    if "{moment2}" in template.question:
        slots |= {"global1", "global2", "exact1", "exact2"}
    assert slots == set(template.times)
    assert {slot.rstrip("123") for slot in template.values} <= VALUES
    assert template.departments
    assert time_choices(template.times)


def test_wordings_of_unanswerable_questions_have_their_slots() -> None:
    for template in unanswerable_templates():
        assert ("{global1}" in template.question) == bool(template.global1)
        assert {slot.rstrip("123") for slot in template.values} <= VALUES


def test_schemas_answer_most_templates_and_explain_the_rest() -> None:
    counts = {schema: len(templates_for(load_records(schema))) for schema in LAYOUTS}
    assert counts == {
        "ehrsql_mimic_iii": 167,
        "ehrsql_mimic_iv": 170,
        "ehrsql_eicu": 165,
        "mimic_iv_star": 170,
        "eicu_star": 165,
    }


needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(),
    reason="no EHRSQL 1.5: templates are not compared with the published ones",
)


@needs_published
def test_kinds_match_the_published_ones() -> None:
    published = {
        _ours(question).id for schema in ("mimic_iii", "eicu") for question in _all(schema)
    }
    assert published == {template.id for template in TEMPLATES if not template.released}


@needs_published
@pytest.mark.parametrize("schema", ["mimic_iii", "eicu"])
def test_schema_answers_its_published_kinds(schema: str) -> None:
    published = {_ours(question).id for question in _all(schema)}
    answered = templates_for(load_records(f"ehrsql_{schema}"))
    assert published == {template.id for template in answered if not template.released}


@needs_published
@pytest.mark.parametrize("schema", ["mimic_iii", "eicu"])
def test_published_importance_times_and_operations_are_permitted(schema: str) -> None:
    known = {template.id for template in all_templates()}
    for question in _all(schema):
        template = _ours(question)
        assert template.importance == question["importance"]
        times = {
            slot: id
            for slot, id in zip(TIME_SLOTS, question["t_tag"], strict=True)
            if slot in template.times and id in known
        }
        choices = [
            {slot: time.id for slot, time in c.items()} for c in time_choices(template.times)
        ]
        assert times in choices, (template.id, times)
        operations = dict(zip(all_operations(), question["o_tag"], strict=True))
        assert {slot for slot, name in operations.items() if name} == set(template.operations)


@needs_published
def test_no_wording_is_published() -> None:
    published = {_plain(question["q_tag"]) for question in _all("mimic_iii")}
    assert not published & {_plain(template.question) for template in TEMPLATES}


def _all(schema: str) -> Iterator[dict[str, Any]]:
    questions = json.loads((PUBLISHED / schema / "valid.json").read_text(encoding="utf-8"))
    return (question for question in questions if not question["is_impossible"])


def _ours(question: dict[str, Any]) -> QuestionTemplate:
    digest = hashlib.sha256(question["q_tag"].encode()).hexdigest()[:16]
    return question_template(_kinds()[digest])


def _kinds() -> dict[str, str]:
    lines = (HERE / "published_kinds.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def _plain(wording: str) -> str:
    letters = (letter for letter in wording.lower() if letter.isalnum() or letter in " {}")
    return "".join(letters)
