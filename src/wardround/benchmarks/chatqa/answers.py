"""Judging an answer given in words: as EHR-ChatQA published it for AdaptQA, and strictly."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from wardround.scoring.numerals import LARGEST, from_words, in_words
from wardround.scoring.results import Rows, cell_text

_TAG = re.compile(r"<answer>((?:(?!</?answer>).)*)</answer>", re.DOTALL | re.IGNORECASE)
_SEPARATORS = r"[\s,;:.|/&()\[\]'\"]"


def passes_published(gold: Rows, said: Sequence[str]) -> bool:
    """The published AdaptQA judgement (paper, A.6.2): any response of the trial may pass.

    Every gold value must occur in the lower-cased answer, and once all are removed nothing may
    remain but separators, units and zero fractions. It is lenient: an earlier answer counts as
    much as the last, and a value may be found inside a longer word.

    Args:
        gold: the gold rows.
        said: all that the agent said to the user, in order.

    >>> passes_published([["ten"]], ["<answer>Ten patients</answer>", "<answer>9</answer>"])
    True
    >>> passes_published([["ten"]], ["<answer>ten or eleven</answer>"])
    False
    """
    values = [_value_text(cell) for row in gold for cell in row]
    answers = (answer for text in said for answer in tagged_answers(text))
    return bool(values) and any(_holds_only(values, answer.lower()) for answer in answers)


def passes_strict(gold: Rows, said: Sequence[str]) -> bool:
    """The strict judgement: the last answer given, value by value.

    Only the last response with a closed tag counts, and in it the last tag. Each gold value,
    of every column, must stand in it once as a whole word or number, at four decimals; a whole
    number may be in digits or in words. An empty gold passes nothing.

    >>> passes_strict([[10]], ["<answer>100</answer>"])
    False
    >>> passes_strict([["ten"]], ["<answer>9</answer>", "<answer>10</answer>"])
    True
    """
    values = {_collapse(_value_text(cell)) for row in gold for cell in row}
    answers = [answer for text in said for answer in tagged_answers(text)]
    return bool(values and answers) and _holds_exactly(values, answers[-1])


def tagged_answers(text: str) -> list[str]:
    """The texts between answer tags of any letter case; of nested tags the innermost.

    A tag that is not closed is no answer.

    >>> tagged_answers("<answer>7</answer>, or <ANSWER>8</ANSWER>, or <answer>9")
    ['7', '8']
    """
    return [found.strip() for found in _TAG.findall(text)]


def _value_text(value: Any) -> str:
    """A gold value as an answer gives it: lower case, whole numbers without a fraction."""
    text = cell_text(value).lower().strip()
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else text


def _holds_only(values: list[str], answer: str) -> bool:
    left = _collapse(answer)
    if not all(_collapse(value) in left for value in values):
        return False
    for value in sorted(set(values), key=lambda value: (-len(value), value)):
        more_zeros = "0*" if re.fullmatch(r"-?\d+\.\d+", value) else ""
        left = re.sub(re.escape(_collapse(value)) + more_zeros, " ", left, count=1)
    return _filler().fullmatch(left) is not None


def _holds_exactly(values: set[str], answer: str) -> bool:
    left = _collapse(answer.lower())
    for value in sorted(values, key=lambda value: (-len(value), value)):
        left, found = _pattern(value).subn(" ", left, count=1)
        if not found:
            return False
    return _filler().fullmatch(left) is not None


def _pattern(value: str) -> re.Pattern[str]:
    """Matches a value standing by itself, in each way in which it may be written."""
    forms = "|".join(_forms(value))
    return re.compile(rf"(?<![\w.-])(?:{forms})(?!\w|\.\d)")


def _forms(value: str) -> list[str]:
    number = from_words(value)
    digits = value if number is None else str(number)
    if not re.fullmatch(r"-?\d+(\.\d+)?", digits):
        return [re.escape(value)]
    if "." in digits:
        return [re.escape(digits) + "0*"]
    return [digits + r"(?:\.0+)?", *_word_forms(int(digits))]


def _word_forms(number: int) -> list[str]:
    if not 0 <= number <= LARGEST:
        return []
    return [in_words(number).replace(" ", r"(?:-|\s)(?:and\s)?")]


@cache
def _filler() -> re.Pattern[str]:
    """Matches what may stand around the values: separators, "and", units, zero fractions."""
    lines = (files(__package__) / "units.txt").read_text("utf-8").splitlines()
    words = ["and", *(line for line in lines if line and not line.startswith("#"))]
    units = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{_SEPARATORS}|\.0+(?!\d)|(?<![a-z])(?:{units})(?![a-z]))*")


def _collapse(text: str) -> str:
    return " ".join(text.split())
