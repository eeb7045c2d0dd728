import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.scoring.numerals import LARGEST, from_words, in_words


@given(st.integers(0, LARGEST))
def test_words_and_numbers_are_inverse(number: int) -> None:
    assert from_words(in_words(number)) == number


@pytest.mark.parametrize("number", [-1, LARGEST + 1])
def test_number_out_of_range_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not between"):
        in_words(number)
