"""Patterns of words find what an alternation of the words finds, the longest first."""

import re

from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.assist.checks.lexicon import word_pattern

WORDS = st.text("ab .血钾", min_size=1, max_size=4)


def alternation(words: list[str]) -> str:
    """Each word apart, the longest first; those with Chinese letters go before."""
    longest_first = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in longest_first if word.isascii())
    han = [re.escape(word) for word in longest_first if not word.isascii()]
    return "|".join([*han, *([rf"(?<![a-z])(?:{latin})(?![a-z])"] if latin else [])])


@given(st.lists(WORDS, min_size=1), st.text("ab .血钾", max_size=20))
def test_a_pattern_finds_the_longest_words(words: list[str], text: str) -> None:
    found, meant = (
        re.findall(pattern, text) for pattern in (word_pattern(words), alternation(words))
    )
    assert found == meant
