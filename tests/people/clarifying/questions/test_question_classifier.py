"""The classifier of wordings: its placeholders, its weights and what it takes questions for."""

import pytest

from tools.question_classifier.train import LINES_KEY, digest
from wardround.people.clarifying.questions.classifier import load_weights, question_classifier
from wardround.people.clarifying.questions.features import (
    SUBJECT,
    TERM,
    UNKNOWN,
    features,
    task_words,
    wording,
)

TASK = task_words(["elderly"], ["How many elderly patients took furosemide?"])


def test_weights_were_trained_on_the_lines_that_are_checked_in() -> None:
    assert str(load_weights()[LINES_KEY]) == digest(), (
        "run python -m tools.question_classifier.train"
    )


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("When is somebody elderly?", ("when", "is", "somebo", TERM, "?")),
        ("Which furosemide?", ("which", SUBJECT, "?")),
        ("Do you like quokkas?", ("do", "you", "like", UNKNOWN, "?")),
    ],
)
def test_words_of_the_task_and_unknown_words_are_replaced(
    question: str, tokens: tuple[str, ...]
) -> None:
    assert wording(question, TASK, question_classifier().frequencies).tokens == tokens


def test_features_of_a_question_do_not_depend_on_the_words_of_its_task() -> None:
    counts = question_classifier().frequencies
    other = task_words(["frail"], ["How many frail people?"])
    first = features(wording("What do you mean by elderly?", TASK, counts))
    assert first == features(wording("What do you mean by frail?", other, counts))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("In which order?", "order"),
        ("How many decimals?", "decimal"),
        ("Which table is that in?", "refuse schema"),
        ("Please write the query.", "refuse code"),
        ("Please elaborate.", "unclear"),
    ],
)
def test_likeliest_class(question: str, kind: str) -> None:
    classifier = question_classifier()
    shares = classifier.probabilities(wording(question, TASK, classifier.frequencies))
    assert max(shares, key=shares.__getitem__) == kind
    assert sum(shares.values()) == pytest.approx(1)
