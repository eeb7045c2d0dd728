"""Packaged wordings: enough for each template, with its slots, distinct, none published."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.authoring.ehrsql.templates import QuestionTemplate, all_templates
from wardround.authoring.ehrsql.templates.templates import packaged_paraphrases
from wardround.authoring.slots import in_tense

SHARED = Path(__file__).resolve().parents[5] / "shared" / "data"
SLOT = re.compile(r"\{(?:a:)?(\w+)\}")
TEMPLATES = list(all_templates().values())


def plain(text: str) -> str:
    """The words without punctuation, `#` for each slot or value."""
    return " ".join(re.findall(r"[a-z]+|#", text.lower()))


def test_answerable_templates_have_twelve_wordings_and_others_four() -> None:
    counts = {template: len(set(template.wordings)) for template in TEMPLATES}
    assert [t.id for t, count in counts.items() if count < (12 if t.form else 4)] == []


def test_every_paraphrase_is_of_a_template() -> None:
    assert packaged_paraphrases().keys() == all_templates().keys()


@for_each(TEMPLATES)
def test_wording_has_each_slot_of_the_template_once(template: QuestionTemplate) -> None:
    slots = Counter(SLOT.findall(in_tense(template.question, over=False)))
    assert set(slots.values()) <= {1}
    for wording in template.wordings:
        for over in (False, True):
            assert Counter(SLOT.findall(in_tense(wording, over))) == slots, wording


def test_wordings_are_distinct() -> None:
    counts = Counter(
        " ".join(re.findall(r"\w+", in_tense(wording, over=False).lower()))
        for template in TEMPLATES
        for wording in template.wordings
    )
    assert [wording for wording, count in counts.items() if count > 1] == []


def test_no_wording_has_a_gap_or_an_open_bracket() -> None:
    for template in TEMPLATES:
        for wording in template.wordings:
            bare = SLOT.sub("x", in_tense(wording, over=True))
            assert not re.search(r"  |[{}\[\]|@]|^\W| [?.,]", bare), wording
            assert bare[-1] in "?.", wording


def published() -> Iterator[str]:
    """Published questions, with `#` for patients and, if the file has them, other values."""
    for file in sorted(SHARED.glob("ehrsql-1.5/*/valid.json")):
        for entry in json.loads(file.read_text("utf-8")):
            text = entry["question"].lower()
            for value in sorted(map(str, entry.get("value", {}).values()), key=len, reverse=True):
                text = text.replace(value.lower(), "#")
            yield plain(text)
    for file in sorted(SHARED.glob("ehrsql-2024/*/data.json")):
        for entry in json.loads(file.read_text("utf-8"))["data"]:
            yield plain(re.sub(r"patient \d+", "patient #", entry["question"].lower()))


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="no published questions: whether a wording is copied is open"
)
def test_no_paraphrase_is_a_published_wording() -> None:
    known = set(published())
    for template in TEMPLATES:
        for wording in template.paraphrases:
            for over in (False, True):
                bare = in_tense(wording, over).replace("{global1}", "")
                assert plain(SLOT.sub("#", bare)) not in known, wording
