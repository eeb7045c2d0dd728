"""Judging an answer given in words: as EHR-ChatQA published it for AdaptQA, and strictly."""

import re
from collections.abc import Sequence
from typing import Any

from wardround.scoring.numerals import LARGEST, from_words, in_words, published_numerals
from wardround.scoring.results import COMPARED_ROWS, Rows, cell_text

# The published grader takes a code fence for an answer too, and closes a tag with a fence.
_PUBLISHED_SPAN = re.compile(r"(?:<answer>|```answer|```\s*\n)(.*?)(?:</answer>|```)", re.DOTALL)
# Removed in this order, so that "days" goes before "day" and a long zero fraction before a short.
_PUBLISHED_FILLERS = ("and", ",", ";", ".0000", ".000", ".00", ".0", "%", "days", "day")
_TAG = re.compile(r"<answer>((?:(?!</?answer>).)*)</answer>", re.DOTALL | re.IGNORECASE)
_STRICT_FILLER = re.compile(r"(?:[\s,;.%]|\band\b|\bdays?\b)*")


def passes_published(gold: Rows, said: Sequence[str]) -> bool:
    """The published AdaptQA judgement (paper, A.6.2): any response of the trial may pass.

    Every value of the gold's first column must occur in the lower-cased answer, and once each
    is removed nothing may remain but separators, units and zeros. It is lenient: trailing zeros
    are dropped whatever they stand for, so that 100 passes for 10.

    Args:
        gold: the gold rows.
        said: all that the agent said to the user, in order.

    >>> passes_published([["ten"]], ["<answer>10.0</answer>", "Goodbye."])
    True
    """
    first_column = sorted([cell_text(cell) for cell in row] for row in gold)[:COMPARED_ROWS]
    values = [_as_numeral(_value_text(row[0])) for row in first_column]
    spans = map(_PUBLISHED_SPAN.search, said)
    return any(_holds_only(values, span[1]) for span in spans if span)


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
    """What stands between answer tags of any letter case; of nested tags the innermost.

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


def _as_numeral(text: str) -> str:
    return published_numerals().get(text, text)


def _holds_only(values: list[str], answer: str) -> bool:
    left = _as_numeral(answer.strip().lower())
    if not all(value in left for value in values):
        return False
    for value in sorted(values, key=len)[::-1]:
        left = left.replace(value, "", 1)
    for filler in _PUBLISHED_FILLERS:
        left = left.replace(filler, "")
    return not left.rstrip("0").rstrip(".").strip()


def _holds_exactly(values: set[str], answer: str) -> bool:
    left = _collapse(answer.lower())
    for value in sorted(values, key=lambda value: (-len(value), value)):
        left, found = _pattern(value).subn(" ", left, count=1)
        if not found:
            return False
    return _STRICT_FILLER.fullmatch(left) is not None


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


def _collapse(text: str) -> str:
    return " ".join(text.split())
