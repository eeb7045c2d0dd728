"""Texts of questions: tense, articles, plurals and times; cases are lines of `wordings.jsonl`."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    Slots,
    question,
    question_template,
    unanswerable_templates,
)
from wardround.authoring.slots import with_article
from wardround.ehr.times import TimeTag, time_filter

LINES = (Path(__file__).parent / "wordings.jsonl").read_text(encoding="utf-8").splitlines()


@for_each(LINES)
def test_text_matches_the_file(line: str) -> None:
    case: dict[str, Any] = json.loads(line)
    times = {
        slot: time_filter(id, **values) for slot, (id, values) in case.get("times", {}).items()
    }
    text = question(
        question_template(case["template"]),
        Slots(case.get("values", {}), case.get("operations", {}), TimeTag(**times)),
    )
    assert text == case["question"]


def test_paraphrase_replaces_the_wording() -> None:
    template = question_template("drug-cost")
    text = question(template, Slots({"drug_name": "aspirin"}), "{drug_name} - how much?")
    assert text == "aspirin - how much?"


@for_each(unanswerable_templates())
def test_unanswerable_question_is_one_sentence(template: QuestionTemplate) -> None:
    values = dict.fromkeys(template.values, "x")
    times = TimeTag(global1=time_filter("rel-month-last")) if template.global1 else TimeTag()
    text = question(template, Slots(values, times=times))
    assert text.endswith("?")
    assert not set("{}[]|") & set(text)
    assert ("last month" in text) == bool(template.global1)


@given(st.text(min_size=1))
def test_article_precedes_the_name(name: str) -> None:
    article, _, following = with_article(name).partition(" ")
    assert article in ("a", "an")
    assert following == name
