"""The packaged classifier of clauses fits the labelled lines it was trained on."""

import pytest

from tools.clause_classifier.train import NAMES, read_lines
from wardround.people.agenda import matches_report
from wardround.people.clause_classifier import clause_role, load_classifier, sample

# Lines that are classified as labelled, of all.
RIGHT = {"clauses": (648, 648), "conditions": (365, 366)}


@pytest.mark.parametrize("name", NAMES)
def test_packaged_weights_are_those_of_the_labelled_lines(name: str) -> None:
    classifier, lines = load_classifier(name), read_lines(name)
    shares = [(label, classifier.probabilities(sample(text))) for label, text in lines]
    right = sum(max(share, key=lambda role: share[role]) == label for label, share in shares)
    assert set(classifier.labels) == {label for label, _ in lines}
    assert (right, len(lines)) == RIGHT[name]


def test_number_and_comparison_decide_between_reports() -> None:
    assert matches_report("more than 100 stays are found", "I found 120 stays.")
    assert not matches_report("more than 100 stays are found", "I found 12 stays of 10012345.")
    assert matches_report("the patient is dead", "The patient has died.")
    assert not matches_report("the patient is alive", "The patient has died.")


@pytest.mark.parametrize(
    ("clause", "role"),
    [
        ("You want to keep only stays of people whose language is Spanish", "ask"),
        ("You want to keep just stays of people who speak Spanish", "ask"),
        ("You want to keep your language plain", "silent"),
        ("You want to keep your messages short", "silent"),
    ],
)
def test_a_wish_to_keep_only_some_records_is_said(clause: str, role: str) -> None:
    assert clause_role(clause) == role
