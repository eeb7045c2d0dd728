"""Our wordings: enough for each template, with its slots, no two alike, none a published one."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.authoring.ehrsql.questions import paraphrases, wordings
from wardround.authoring.ehrsql.templates import all_question_templates, unanswerable_templates
from wardround.authoring.slots import in_tense

SHARED = Path(__file__).resolve().parents[5] / "shared" / "data"
SLOT = re.compile(r"\{(?:a:)?(\w+)\}")
OWN = {template.id: template.question for template in all_question_templates()}
OWN_UNANSWERABLE = {template.id: template.question for template in unanswerable_templates()}
EVERY = sorted((OWN | OWN_UNANSWERABLE).items())


def plain(text: str) -> str:
    """The words alone, `#` for each slot or value."""
    return " ".join(re.findall(r"[a-z]+|#", text.lower()))


def test_answerable_templates_have_twelve_wordings_and_others_four() -> None:
    assert [id for id in OWN if len(set(wordings(id))) < 12] == []
    assert [id for id in OWN_UNANSWERABLE if len(set(wordings(id))) < 4] == []


def test_every_paraphrase_is_of_a_template() -> None:
    assert paraphrases().keys() == OWN.keys() | OWN_UNANSWERABLE.keys()


@pytest.mark.parametrize(("id", "own"), EVERY)
def test_a_wording_has_each_slot_of_the_template_once(id: str, own: str) -> None:
    slots = Counter(SLOT.findall(in_tense(own, over=False)))
    assert set(slots.values()) <= {1}
    for wording in wordings(id):
        for over in (False, True):
            assert Counter(SLOT.findall(in_tense(wording, over))) == slots, wording


def test_no_two_wordings_are_alike() -> None:
    said = Counter(
        " ".join(re.findall(r"\w+", in_tense(wording, over=False).lower()))
        for id, _ in EVERY
        for wording in wordings(id)
    )
    assert [wording for wording, count in said.items() if count > 1] == []


def test_no_wording_has_a_gap_or_an_open_bracket() -> None:
    for id, _ in EVERY:
        for wording in wordings(id):
            bare = SLOT.sub("x", in_tense(wording, over=True))
            assert not re.search(r"  |[{}\[\]|@]|^\W| [?.,]", bare), wording
            assert bare[-1] in "?.", wording


def published() -> Iterator[str]:
    """Published questions, with `#` for patients and, where the file tells them, other values."""
    for file in sorted(SHARED.glob("ehrsql-1.5/*/valid.json")):
        for one in json.loads(file.read_text("utf-8")):
            text = one["question"].lower()
            for value in sorted(map(str, one.get("value", {}).values()), key=len, reverse=True):
                text = text.replace(value.lower(), "#")
            yield plain(text)
    for file in sorted(SHARED.glob("ehrsql-2024/*/data.json")):
        for one in json.loads(file.read_text("utf-8"))["data"]:
            yield plain(re.sub(r"patient \d+", "patient #", one["question"].lower()))


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the published questions")
def test_no_paraphrase_is_a_published_wording() -> None:
    known = set(published())
    for id, lines in paraphrases().items():
        for wording in lines:
            for over in (False, True):
                bare = in_tense(wording, over).replace("{global1}", "")
                assert plain(SLOT.sub("#", bare)) not in known, (id, wording)
