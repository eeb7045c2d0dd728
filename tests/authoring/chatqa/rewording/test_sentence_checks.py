"""Wordings of a sentence are kept if they ask for the same, and refused by the check they fail."""

import csv
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from wardround.authoring.chatqa.instructions import Sentence, wordings
from wardround.authoring.chatqa.rewording.sentence_checks import OPENINGS, checks_of, opening
from wardround.authoring.rewording.comparison import changed_senses
from wardround.authoring.rewording.pipeline import Pipeline

LINES = Path(__file__).with_name("reworded_sentences.tsv").read_text(encoding="utf-8").splitlines()
CASES = list(csv.reader(LINES[2:], delimiter="\t", quoting=csv.QUOTE_NONE))
# Frames of which one is vague enough to be another: "that start time", "had", "the latest one".
VAGUE = {"brand.last", "brand.first", "class.members", "test.last", "procedure.last"}
GENERAL = {"brand.patients", "related.complication", "procedure.patients"}


@pytest.mark.parametrize(("text", "values", "wording", "refused_by"), CASES)
async def test_a_wording_is_kept_or_refused_by_a_check(
    text: str, values: str, wording: str, refused_by: str
) -> None:
    sentence = Sentence("condition", text, tuple(filter(None, values.split(";"))))
    [checked] = await Pipeline(checks_of(sentence, ["seventeen"])).run([wording])
    problems = {name: problem for name, problem in checked.checks.items() if problem}
    assert next(iter(problems), "") == refused_by, problems


def test_another_frame_is_no_wording() -> None:
    alike = defaultdict(list)
    for frame, sentence in filled_sentences():
        alike[opening(sentence), *blanks(sentence)].append((frame, sentence))
    accepted = {
        frozenset((one, two))
        for sentences in alike.values()
        for (one, first), (two, second) in combinations(sentences, 2)
        if one != two and not changed_senses(first, second)
    }
    assert all(pair <= VAGUE or pair <= GENERAL for pair in accepted), accepted


def test_some_ways_to_say_a_frame_are_wordings_of_each_other() -> None:
    pairs = [
        (first, second)
        for (one, first), (two, second) in combinations(filled_sentences(), 2)
        if one == two and opening(first) == opening(second)
    ]
    kept = [pair for pair in pairs if not changed_senses(*pair)]
    assert (len(kept), len(pairs)) == (140, 582)


def blanks(text: str) -> list[str]:
    """The values of a filled sentence."""
    return re.findall(r"\b[7X]\b", text)


def filled_sentences() -> list[tuple[str, str]]:
    """The sentences of all wordings but for the goal's first, by frame, with slots filled in."""
    return [
        (frame, re.sub(r"\{(\w+)\}", _value, sentence))
        for frame, ways in wordings().items()
        if not frame.startswith("form.")
        for way in ways
        for sentence in re.split(r"(?<=\.) (?=[A-Z])", way)
        if not sentence.startswith(OPENINGS[0])
    ]


def _value(slot: re.Match[str]) -> str:
    return "7" if slot[1] in ("age", "days", "number", "hours", "patient") else "X"
