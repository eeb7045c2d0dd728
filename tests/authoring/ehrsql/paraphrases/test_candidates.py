"""Accepted wordings of a review file, and its invalid lines."""

from pathlib import Path

import pytest

from wardround.authoring.ehrsql.paraphrases.candidates import Paraphrase, Rank, accepted_wordings
from wardround.authoring.review_file import write_review
from wardround.core.errors import UserError

DOUBLE = "Is patient {patient_id} male or female?"


def wording(text: str, decision: str = "accept", template: str = "gender") -> Paraphrase:
    return Paraphrase.model_validate({
        "decision": decision,
        "id": f"{template}-{decision}-{text}",
        "kind": "wording",
        "changes": template,
        "text": text,
        "detail": Rank(),
    })  # fmt: skip


def test_invalid_accepted_wordings_are_named(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    lines = [
        wording("Which sex?", "strike"),
        wording("Which sex?"),
        wording("Which sex has {patient_id}?"),
        wording("Which sex has {patient_id}?", template="birth"),
        wording(DOUBLE),
    ]
    write_review(path, lines)
    with pytest.raises(UserError) as raised:
        accepted_wordings(path)
    assert str(raised.value).splitlines() == [
        f"{path}, line 2: the wording lacks {{patient_id}}; mend or strike it.",
        f"{path}, line 4: the wording says the same as line 3; mend or strike it.",
        f"{path}, line 5: the wording is there already; mend or strike it.",
    ]


def test_an_unknown_template_is_named(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    write_review(path, [wording("Which sex has {patient_id}?", "open", "gendre")])
    with pytest.raises(UserError, match=r"line 1: there is no template 'gendre' \(is it gender"):
        accepted_wordings(path)


def test_a_person_may_accept_a_pruned_wording(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    texts = ("Sex of {patient_id}?", "Sex for {patient_id}?", "Sex, {patient_id}?")
    decisions = ("accept", "strike", "open")
    pruned = {"distance": "too much like one before it"}
    lines = [wording(text, decision) for text, decision in zip(texts, decisions, strict=True)]
    write_review(path, [line.model_copy(update={"checks": pruned}) for line in lines])
    assert accepted_wordings(path) == {"gender": [texts[0]]}
