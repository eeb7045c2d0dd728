"""Patterns of words, longest first, and the tables that the checks read."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.assist import checks
from wardround.benchmarks.assist.checks.lexicon import word_pattern
from wardround.core.packaged_data import read_rows

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


def test_each_row_of_cues_is_read() -> None:
    sources = "".join(
        path.read_text(encoding="utf-8") for path in Path(checks.__path__[0]).rglob("*.py")
    )
    families = ("field: ", "topic: ", "days ago")  # rows whose names are put together
    rows = [name for name, *_ in read_rows(checks.__name__, "cues.tsv")]
    unread = [name for name in rows if f'"{name}"' not in sources]
    assert [name for name in unread if not any(family in name for family in families)] == []
