"""The types of ambiguity and follow-up, and the words that task files have for them."""

from collections import Counter
from pathlib import Path

from tests.cases import for_each
from wardround.people.clarifying.kinds import (
    ambiguity_kind,
    bare,
    follow_up_kind,
    kinds,
    published,
)

WORDS = [
    line.split("\t")
    for line in (Path(__file__).parent / "words.tsv").read_text("utf-8").splitlines()[2:]
]


@for_each(WORDS)
def test_words_of_files(family: str, written: str, ours: str) -> None:
    assert (follow_up_kind if family == "follow-up" else ambiguity_kind)(written) == ours


def test_the_paper_s_types_are_there() -> None:
    assert Counter(kind.family for kind in kinds()) == {
        "intent": 6,
        "implementation": 7,
        "knowledge": 2,
        "environment": 1,
        "follow-up": 6,
    }


def test_no_word_means_two_types_and_all_are_read_back() -> None:
    for follow_up in (False, True):
        group = [kind for kind in kinds() if (kind.family == "follow-up") == follow_up]
        words = [{bare(kind.name), bare(kind.published), *kind.also} for kind in group]
        assert sum(map(len, words)) == len(set().union(*words))
        assert all(bare(word) == word for some in words for word in some)
        read = follow_up_kind if follow_up else ambiguity_kind
        assert all(read(published(kind.name)) == kind.name for kind in group)
