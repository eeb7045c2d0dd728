"""Answers in words, graded as EHR-ChatQA publishes it for AdaptQA, and strictly."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

import orjson

from wardround.core.packaged_data import read_lines, read_rows
from wardround.ehr.text.numerals import LARGEST, from_words, in_words
from wardround.scoring.results import NUMERAL, Rows, published_rows, typed_text

_PACKAGE = "wardround.benchmarks.chatqa"

# The published grader accepts tags and code fences in any combination.
_PUBLISHED_TAG = re.compile(r"(?:<answer>|```(?:answer|\s*\n))(.*?)(?:</answer>|```)", re.DOTALL)
# The published grader removes these in this order, after the gold values.
_PUBLISHED_FILLERS = ("and", ",", ";", ".0000", ".000", ".00", ".0", "%", "days", "day")

_TAG = re.compile(r"<answer>((?:(?!</?answer>).)*)</answer>", re.DOTALL | re.IGNORECASE)
_SEPARATORS = r"[\s,;:.|/&()\[\]'\"]"


def passes_published(gold: Rows, texts: Iterable[str]) -> bool:
    """True if any response passes the published AdaptQA grader.

    The first answer of a response counts. Each row's first gold value must occur in it, and
    nothing may remain after values and fillers are removed. The grader is lenient: a value may
    match inside a longer word, and an early response counts as much as the last.

    Args:
        gold: The gold rows.
        texts: The agent's messages to the user, in order.

    >>> passes_published([["ten"]], ["<answer>10</answer>", "<answer>nine</answer>"])
    True
    >>> passes_published([["ten"]], ["<answer>ten patients</answer>"])
    False
    """
    values = published_values(gold)
    return any(_holds_only(values, as_digits(answer)) for answer in published_answers(texts))


def published_answers(texts: Iterable[str]) -> list[str]:
    """Returns the first answer of each message that has one, stripped and in lower case."""
    matches = (_PUBLISHED_TAG.search(text) for text in texts)
    return [match[1].strip().lower() for match in matches if match]


def published_values(gold: Rows) -> list[str]:
    """Returns the values the published grader looks for: each row's first, numbers as digits.

    Rows are first normalized, sorted and cut as those of a query. The values are then in lower
    case, whole numbers without a fraction.

    >>> published_values([[3.0, "a"], [2.71828], ["Ten"], ["twelve"], ["030"], [None]])
    ['2.7183', '3', '30', 'none', '10', 'twelve']
    """
    return [as_digits(_published_value(row[0])) for row in published_rows(gold)]


def value_text(value: Any) -> str:
    """Formats a gold value: whole numbers without decimals, other numbers with up to four."""
    if not isinstance(value, int | float | Decimal):
        return str(value)
    number = float(value)
    return str(int(value)) if number.is_integer() else str(round(number, 4))


def as_digits(text: str) -> str:
    """Replaces a number in words by its digits, if the published grader knows the words."""
    return _published_numbers().get(text, text)


def passes_strict(gold: Rows, texts: Sequence[str]) -> bool:
    """True if the last answer passes the strict grader.

    Only the last closed answer tag of the conversation counts. It must contain each gold value of
    the first column, or of all columns, as often as the gold has it, as a whole word or number, at
    four decimals; whole numbers may be in digits or in words. Separators and units may remain. An
    empty gold never passes.

    >>> passes_strict([[10]], ["<answer>100</answer>"])
    False
    >>> passes_strict([["ten"]], ["<answer>9</answer>", "<answer>10</answer>"])
    True
    >>> passes_strict([[5], [5]], ["<answer>5</answer>"])
    False
    """
    answers = [answer for text in texts for answer in tagged_answers(text)]
    columns = ([_strict_text(cell) for row in gold for cell in row[:width]] for width in (1, None))
    return bool(gold and answers) and any(_holds_exactly(each, answers[-1]) for each in columns)


def were_read(gold: Rows, read: Sequence[str]) -> bool:
    """True if an answer rests on what tools returned.

    Each gold value of the first column, or of all columns, stands in a result as a whole word or
    number; a number may also be that of a result's rows.

    >>> were_read([["Heparin"]], ['{"rows": [["heparin"]]}']), were_read([[2]], ['{"rows": []}'])
    (True, False)
    >>> were_read([[2]], ['{"rows": [["a"], ["b"]]}'])
    True
    """
    counts = [str(count) for text in read if (count := _row_count(text)) is not None]
    texts = [*counts, *(_collapse(text.lower()) for text in read)]

    def stands(value: str) -> bool:
        return any(_pattern(value).search(text) for text in texts)

    columns = ([_strict_text(cell) for row in gold for cell in row[:width]] for width in (1, None))
    return any(all(map(stands, values)) for values in columns)


def _row_count(text: str) -> int | None:
    """The number of rows of a result in JSON; None for other texts."""
    try:
        result = orjson.loads(text)
    except ValueError:
        return None
    rows = result.get("rows") if isinstance(result, dict) else None
    return len(rows) if isinstance(rows, list) else None


def tagged_answers(text: str) -> list[str]:
    """Returns the texts between answer tags, of nested tags the innermost, in any letter case.

    An unclosed tag is ignored.

    >>> tagged_answers("<answer>7</answer>, or <ANSWER>8</ANSWER>, or <answer>9")
    ['7', '8']
    """
    return [answer.strip() for answer in _TAG.findall(text)]


def _holds_only(values: Sequence[str], answer: str) -> bool:
    if not all(value in answer for value in values):
        return False
    for value in sorted(values, key=len)[::-1]:  # of equal lengths the later one first
        answer = answer.replace(value, "", 1)
    for filler in _PUBLISHED_FILLERS:
        answer = answer.replace(filler, "")
    return not answer.rstrip("0").rstrip(".").strip()


def _published_value(text: str) -> str:
    """A gold cell, already as text, in lower case; as a number if it can be read as one."""
    text = text.lower().strip()
    try:
        return value_text(float(text))
    except ValueError:
        return text


@cache
def _published_numbers() -> dict[str, str]:
    """Numbers in words that the published grader recognises, with their digits."""
    return {words: digits for digits, words in read_rows(_PACKAGE, "published_numbers.tsv")}


def _strict_text(value: object) -> str:
    """Formats a gold value in lower case, whole numbers without a fraction, blanks collapsed.

    Text with leading zeros stays as it is.
    """
    if isinstance(value, str):
        value = _collapse(value.lower())
        if not NUMERAL.fullmatch(value):
            return value
    return typed_text(value).lower()


def _holds_exactly(values: Sequence[str], answer: str) -> bool:
    remainder = _collapse(answer.lower())
    for value in sorted(values, key=lambda value: (-len(value), value)):
        remainder, matched = _pattern(value).subn(" ", remainder, count=1)
        if not matched:
            return False
    return _filler().fullmatch(remainder) is not None


def _pattern(value: str) -> re.Pattern[str]:
    """A pattern for a value as a whole word, in any of its spellings."""
    forms = "|".join(_forms(value))
    return re.compile(rf"(?<![\w.-])(?:{forms})(?!\w|\.\d)")


def _forms(value: str) -> list[str]:
    number = from_words(value)
    digits = value if number is None else str(number)
    if not NUMERAL.fullmatch(digits):
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
    """A pattern for the text allowed around values: separators, "and", units, zero fractions."""
    words = ["and", *read_lines(_PACKAGE, "units.txt")]
    units = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?:{_SEPARATORS}|\.0+(?!\d)|(?<![a-z])(?:{units})(?![a-z]))*")


def _collapse(text: str) -> str:
    return " ".join(text.split())
