"""Misspellings of names."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import DamerauLevenshtein

from tests.cases import for_each
from wardround.authoring.chatqa.spellings import misspellings

LINES = (Path(__file__).parent / "fixtures" / "misspellings.tsv").read_text("utf-8").splitlines()
CASES = [tuple(line.split("\t")) for line in LINES[2:]]

names = st.from_regex(r"[a-z]{1,12}( [a-z0-9-]{1,12}){0,3}", fullmatch=True)


@for_each(CASES)
def test_people_write_a_name_with_one_slip(written: str, name: str, spelling: str) -> None:
    assert (spelling in misspellings(name)) == (written == "yes")


@given(names)
def test_a_misspelling_is_one_slip_in_a_long_word(name: str) -> None:
    words = name.split(" ")
    assert len(set(misspellings(name))) == len(misspellings(name))
    for spelling in misspellings(name):
        slipped = [
            (word, other)
            for word, other in zip(words, spelling.split(" "), strict=True)
            if word != other
        ]
        assert len(slipped) == 1
        [(word, other)] = slipped
        assert len(word) >= 6
        assert word[0] == other[0]
        assert DamerauLevenshtein.distance(word, other) <= 2
