"""Numbers and their words, English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ehr.text.han_numerals import in_han
from wardround.ehr.text.numerals import LARGEST, from_han, from_words, in_words


@given(st.integers(0, LARGEST))
def test_words_and_numbers_are_inverse(number: int) -> None:
    assert from_words(in_words(number)) == number


def test_large_and_negative_numbers_in_words() -> None:
    assert in_words(-12_345_000) == "minus twelve million three hundred forty five thousand"
    assert in_words(3_000_000_001) == "three thousand million one"


@given(st.integers(0, LARGEST))
def test_chinese_numerals_and_numbers_are_inverse(number: int) -> None:
    assert from_han(in_han(number)) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("两百", 200),
        ("一千零五", 1005),
        ("三万五千", 35_000),
        ("零点五", 0.5),
        ("十二指", None),
        ("", None),
    ],
)
def test_other_chinese_numerals(text: str, number: float | None) -> None:
    assert from_han(text) == number
