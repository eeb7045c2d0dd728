"""Quantities of notes in digits and words, and those that are written and read again."""

from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.ehr.text.cases import rows
from tests.ehr.text.han_numerals import in_han
from wardround.ehr.text.numerals import LARGEST, in_words
from wardround.ehr.text.quantities import duration, quantities

PIECES = ["twenty", "-", "five", " mg", "1,500", "0.5", "/", "half a", " and a half", "一百", "半",
          "点", "片", "度五", "升至", "10^9/L", " to ", "q4h", "out of 10", " "]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES)).map("".join))


@for_each(rows("quantities.txt"))
def test_quantities(language: str, text: str, wanted: str) -> None:
    found = [f"{each.value:g} {each.unit}".strip() for each in quantities(text)]
    assert "; ".join(found) == wanted, language


@given(st.integers(0, LARGEST), st.sampled_from(["{} mg", "takes {} mg of it", "({} mg)"]))
def test_numbers_in_english_words_are_read_again(number: int, form: str) -> None:
    [found] = quantities(form.format(in_words(number)))
    assert (found.value, found.unit) == (number, "mg")


@given(st.integers(0, LARGEST), st.sampled_from(["{}毫克", "口服{}毫克。", "共（{}毫克）"]))
def test_numbers_in_chinese_are_read_again(number: int, form: str) -> None:
    [found] = quantities(form.format(in_han(number)))
    assert (found.value, found.unit) == (number, "mg")


@given(st.decimals(0, 99_999, places=2), st.sampled_from(["mg", "mEq/L", "%", "小时"]))
def test_numbers_in_digits_are_read_again(number: float, unit: str) -> None:
    [found] = quantities(f"{number} {unit}")
    [with_commas] = quantities(f"{number:,} {unit}")
    assert found.value == with_commas.value == float(number)
    assert found.unit == with_commas.unit != ""


@given(TEXTS)
def test_quantities_lie_in_the_text_and_in_order(text: str) -> None:
    found = quantities(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(before.end <= behind.start for before, behind in pairwise(found))


def test_durations() -> None:
    found = quantities("for 36 hours, two weeks, 三个月 and 5 mg")
    lengths = [timedelta(hours=36), timedelta(weeks=2), timedelta(days=90), None]
    assert [duration(each) for each in found] == lengths


def test_a_rise_is_no_litre() -> None:
    assert [(each.value, each.unit) for each in quantities("由4升至5.9，输液2升")] == [
        (4, ""), (5.9, ""), (2, "L"),
    ]  # fmt: skip
