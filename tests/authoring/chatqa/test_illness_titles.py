"""Titles of diagnoses that are about having an illness."""

from pathlib import Path

from tests.cases import for_each
from wardround.authoring.chatqa.illness_titles import illnesses, title_sense

LINES = (Path(__file__).parent / "fixtures" / "titles.tsv").read_text("utf-8").splitlines()[2:]
CASES = [tuple(line.split("\t")) for line in LINES]


@for_each(CASES)
def test_the_words_before_a_name_tell_what_a_title_is_about(
    sense: str, illness: str, title: str
) -> None:
    assert title_sense(title, [illness]) == sense


def test_a_title_of_something_else_is_left_out() -> None:
    words, titles = illnesses(("hypertension", "portal hypertension"))["hypertension"]
    assert titles == ("hypertension",)
    assert "hypertension" in words


def test_an_illness_with_an_open_title_is_not_asked_about() -> None:
    assert "hypertension" not in illnesses(("hypertension", "mesmeric hypertension"))
    assert "anemia" not in illnesses(("anemia, unspecified", "iron deficiency anemia"))
