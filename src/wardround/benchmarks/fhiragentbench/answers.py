"""Compares answers without a judge: numbers to the nearest integer, dates to a minute, whole lists.

An answer is read from the agent's last line with "The final answer is:" or "Answer:".
"""

import ast
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from math import isfinite
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.mimic import HOSPITAL_ZONE
from wardround.ehr.terms.conversions import unit_named

State: TypeAlias = Literal["passed", "failed", "undecided"]
_LINE = re.compile(
    r"(?:^\W*answer\W*|the final answer is\W*):[\s*]*(.*)$", re.IGNORECASE | re.MULTILINE
)
_MEASURED = re.compile(
    r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(\D.*)", re.I | re.A | re.DOTALL
)
_NOTHING = {"", "none", "null", "nan", "no answer", "n/a", "[]", "not available", "unknown"}
_YES, _NO = {"yes", "true", "1", "1.0"}, {"no", "false", "0", "0.0"}
_ZONE = ZoneInfo(HOSPITAL_ZONE)
_MINUTE = timedelta(minutes=1)


def given_answer(text: str) -> list[str] | None:
    r"""The values that an answer states; None if it has no line for them.

    >>> given_answer("It was given twice.\nAnswer: 2")
    ['2']
    >>> given_answer("Answer: ['a', 'b']"), given_answer("Answer: no answer"), given_answer("two")
    (['a', 'b'], [], None)
    """
    lines = _LINE.findall(text)
    return None if not lines else values(lines[-1].strip().rstrip("."))


def values(answer: Any) -> list[str]:
    """The single values of an answer: of a list, of rows, or of a text with commas.

    >>> values([[1.0, None], ["x"]]), values("1, 2"), values("None")
    (['1.0', 'x'], ['1', '2'], [])
    """
    if isinstance(answer, str):
        text = answer.strip()
        if text.lower() in _NOTHING:
            return []
        parsed = _literal(text)
        if parsed is not None:
            return values(parsed)
        return [part.strip().strip("'\"") for part in text.split(",") if part.strip()]
    if isinstance(answer, Iterable):
        items = answer.values() if isinstance(answer, dict) else answer
        return [value for item in items for value in values(_whole_item(item))]
    return [] if answer is None else [str(answer)]


def state(text: str, gold: Any) -> State:
    """The state of an answer, from its stated values; undecided if it states none.

    >>> state("Answer: 41.7 mg/dL", 42), state("Answer: 41", 42), state("It is 42.", 42)
    ('passed', 'failed', 'undecided')
    """
    given = given_answer(text)
    if given is None:
        return "failed" if not text.strip() else "undecided"
    expected = values(gold)
    if len(given) != len(expected):
        return "failed"
    left = list(expected)
    unclear = any(map(_is_unclear, given)) and any(_number(each) is not None for each in expected)
    for value in given:
        match = next((each for each in left if same_value(value, each)), None)
        if match is None:
            return "undecided" if unclear else "failed"
        left.remove(match)
    return "passed"


def same_value(given: str, gold: str) -> bool:
    """True if two values mean the same.

    >>> same_value("2100-01-01T10:00:30", "2100-01-01 10:00:00"), same_value("yes", "1")
    (True, True)
    """
    first, second = _number(given), _number(gold)
    if first is not None and second is not None:
        return round(first) == round(second)
    times = _time(given), _time(gold)
    if times[0] is not None and times[1] is not None:
        return abs(times[0] - times[1]) <= _MINUTE
    lower = given.strip().lower(), gold.strip().lower()
    return lower[0] == lower[1] or any(set(lower) <= words for words in (_YES, _NO))


def _whole_item(item: Any) -> Any:
    """An item of a list; a text in it is one value, whatever commas it has."""
    if isinstance(item, str):
        return None if item.strip().lower() in _NOTHING else [_Whole(item)]
    return item


class _Whole:
    """A text that is one value."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text


def _literal(text: str) -> Any:
    """A list or tuple as Python writes it; None for another text."""
    if text[:1] not in "[({":
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _number(text: str) -> float | None:
    """The number of a text, without its unit; None if it is not a number with a unit."""
    measured = _MEASURED.fullmatch(text.strip())
    if measured and unit_named(measured[2]):
        text = measured[1]
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _is_unclear(text: str) -> bool:
    """True for a number followed by words that are not a unit, such as `3 admissions`."""
    return _number(text) is None and _time(text) is None and bool(_MEASURED.fullmatch(text.strip()))


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return time.astimezone(_ZONE).replace(tzinfo=None) if time.tzinfo else time
