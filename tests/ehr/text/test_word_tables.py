"""Words of tables are found whole, in either language and any case."""

import re

import pytest

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.text.word_tables import ends_in, word_patterns

TABLE = ("wardround.ehr.text", "times_ahead.tsv")


def test_each_word_is_found_by_its_row() -> None:
    for name, english, chinese in read_rows(*TABLE):
        pattern = word_patterns(*TABLE)[name]
        words = [word.removesuffix("*") for word in (*split_cell(english), *split_cell(chinese))]
        assert words
        assert [word for word in words if not pattern.fullmatch(word.upper())] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tomorrow, then weekly", ["Tomorrow"]),
        ("in tomorrows", []),
        ("明早tomorrow", ["明早", "tomorrow"]),
        ("tomorrow2, _tomorrow_", ["tomorrow", "tomorrow"]),
        ("next  day", ["next  day"]),
    ],
)
def test_words_stand_alone(text: str, found: list[str]) -> None:
    assert word_patterns(*TABLE)["1"].findall(text) == found


@pytest.mark.parametrize(
    ("text", "expected"), [("fell from ", True), ("from 5", False), ("", False), ("由", True)]
)
def test_a_text_ends_in_words(text: str, expected: bool) -> None:
    assert ends_in(re.compile("from|由"), text) == expected
