"""Quantities in a text of either language: numbers in digits and words, with their units.

Digits may be full-width. Dates, times of day, and names with digits such as B12 are not quantities.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from math import isclose
from typing import NamedTuple

from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.conversions import convert
from wardround.ehr.text.dates import without_times
from wardround.ehr.text.mentions import Mention, mentions
from wardround.ehr.text.numerals import NUMBER_WORD, from_han, from_words
from wardround.ehr.text.segments import blanked

_NUMBER = re.compile(r"(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?")
# Behind digits, "thousand" is part of a number or of its unit ("218 thousand/uL").
_WORDS = re.compile(rf"(?<!\d )(?<!\d)\b(?:{NUMBER_WORD})(?:(?:[ -]| and )(?:{NUMBER_WORD}))*\b")
_WORD = re.compile(rf"(?:{NUMBER_WORD})")
_HALF = re.compile(r"\bhalf(?: an?)?\b")
_AND_HALF = re.compile(r" and a half\b")
# Words for what is counted in Chinese without a unit of measurement.
_COUNTED = "次|分|瓶|步|倍|个|例|床|支|袋|毫"
# Behind digits, a scale is part of the unit: "218 千/微升".
_HAN = re.compile(
    r"(?<![第一二三四五六七八九十百千万两])(?!(?<=[\d ])(?:百万|[千万])\s?/)"
    r"[零一二三四五六七八九十百千万两]++(?:点[零一二三四五六七八九]+)?"
)
_HAN_HALF = re.compile(r"(?<![一大多小])半(?=个?(?:片|粒|天|小时|年|月|支|袋|瓶))")
_DEGREES = re.compile(r"度[半零一二三四五六七八九](?![十百千])")
_MORE_HALF = re.compile(r"半")
_COUNT = re.compile(rf"\s*(?:{_COUNTED})")
_RISES = re.compile(r"升[高至到值]|(?<=上)升")  # a rise, not a litre
_OUT_OF = re.compile(r"\s*(?:out of\s*(\d+)|/\s*10)\b")
_SCORED = re.compile(r"\s*分(?![钟升])")
_TO = re.compile(r"\s*(?:[(（][^)）]*[)）])?\s*(?:to|-|–|/|[升降变]?[至为到])\s*")
_FULL_SCORE = re.compile(r"(?:out of|/|满分)\s*$")
_BEFORE = 20  # letters before a number in which its full score is looked for
_MOST_BETWEEN = 100  # letters between the ends of a range
_GAP = re.compile(r"[ -]*")
# Names that hold digits.
NAMED = re.compile(
    r"cha2ds2[- ]?vasc|curb[- ]?65|t4|t3|b\d\d?|h2|sp?o2|pao2|c3|c4|a1c|covid-19|ca[- ]?125"
    r"|ca[- ]?19-9|cd\d\d?|h1n1|p2y12|g6pd",
    re.IGNORECASE,
)
_DAYS = {"month": 30, "year": 365}
POINTS = "points"
_CLOSE = 0.02
_TEXTS = 4096  # cached texts


class _Number(NamedTuple):
    """A number at `text[start:end]`; a number that needs a unit is a quantity only with it."""

    start: int
    end: int
    value: float
    decimals: int = 0
    needs_unit: bool = False


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit at `text[start:end]`; no unit is ""."""

    value: float
    unit: str
    start: int
    end: int
    decimals: int = 0


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text in order; dates, times of day and names with digits are none.

    >>> [(q.value, q.unit) for q in quantities("Pain 3 out of 10 for two days, K 4.5 mEq/L")]
    [(3.0, 'points'), (2.0, 'day'), (4.5, 'mEq/L')]
    >>> [(q.value, q.unit) for q in quantities("腹泻两天，血红蛋白\uff17.\uff18 g/dL")]
    [(2.0, 'day'), (7.8, 'g/dL')]
    >>> [(q.value, q.unit) for q in quantities("WBC 12.4 × 10^9/L, K 4 milliequivalents per liter")]
    [(12.4, 'K/uL'), (4.0, 'mEq/L')]
    >>> [(q.value, q.unit) for q in quantities("two and a half tablets; 每次两片半")]
    [(2.5, 'tablet'), (2.5, 'tablet')]
    """
    return list(_quantities(text))


@lru_cache(_TEXTS)
def _quantities(text: str) -> tuple[Quantity, ...]:
    lower = plain(text)
    masked = _masked(lower)
    numbers = sorted((*_digits(masked), *_words(masked), *_han(masked)))
    units = {m.start: m for m in mentions(_ending_in_digits(lower, numbers), "unit")}
    read: list[Quantity] = []
    for number in numbers:
        # A unit such as 10^9/L holds numbers.
        within = bool(read) and number.start < read[-1].end
        if not within and not _is_full_score(number, read, lower):
            read.extend(_with_unit(lower, number, units))
    followed = zip(read, [*read[1:], None], strict=False)  # one more if there is none
    return tuple(_as_in_range(each, behind, lower) for each, behind in followed)


def same(stated: Quantity, expected: Quantity, test: str = "") -> bool | None:
    """True if two quantities are equal after rounding and conversion; None if a unit is missing.

    Args:
        stated: the quantity of an answer.
        expected: the quantity that it should be.
        test: the test that it is of, for molar units.

    >>> a, b = quantities("79 umol/L"), quantities("0.9 mg/dL")
    >>> same(a[0], b[0], "creatinine"), same(a[0], b[0], "glucose")
    (True, False)
    """
    if (
        stated.unit == expected.unit
        or not expected.unit
        or {stated.unit, expected.unit} == {"", POINTS}
    ):
        return _rounded(stated, expected.value, expected.decimals)
    if not stated.unit:
        return None if _rounded(stated, expected.value, expected.decimals) else False
    converted = convert(expected.value, expected.unit, stated.unit, test)
    return converted is not None and isclose(stated.value, converted, rel_tol=_CLOSE)


def duration(quantity: Quantity) -> timedelta | None:
    """The length of a quantity of time, a month as 30 days; None for another quantity.

    >>> [duration(each) for each in quantities("for two weeks, 40 mg, 三个月")]
    [datetime.timedelta(days=14), None, datetime.timedelta(days=90)]
    """
    days = _DAYS.get(quantity.unit) or convert(1, quantity.unit, "day")
    return None if days is None else timedelta(days=quantity.value * days)


def _rounded(given: Quantity, value: float, decimals: int) -> bool:
    """True if the coarser of two numbers is the finer one, rounded, and they are close."""
    if given.decimals == decimals:
        return given.value == value
    half = 0.5 * 10 ** -min(given.decimals, decimals) + 1e-9
    return abs(given.value - value) <= half and isclose(given.value, value, rel_tol=0.05)


def _as_in_range(number: Quantity, behind: Quantity | None, text: str) -> Quantity:
    """A number with the unit of the one behind it, as in "from 5.6 to 4.5 mEq/L"."""
    if number.unit or behind is None or behind.start - number.end > _MOST_BETWEEN:
        return number
    if not _TO.fullmatch(text, number.end, behind.start):
        return number
    return replace(number, unit=behind.unit)


def _masked(text: str) -> str:
    """The text with dates, times and names blanked out, as long as before."""
    return NAMED.sub(lambda match: " " * len(match[0]), without_times(text))


def _ending_in_digits(text: str, numbers: Iterable[_Number]) -> str:
    """The text with a digit for the last letter of each number, since short units follow digits.

    Blanks out words such as 升至: their first character is also a unit.
    """
    letters = list(text)
    for number in numbers:
        if not letters[number.end - 1].isdigit():
            letters[number.end - 1] = "1"
    return blanked("".join(letters), (match.span() for match in _RISES.finditer(text)))


def _is_full_score(number: _Number, before: Sequence[Quantity], text: str) -> bool:
    """True for the maximum of a score, such as the 10 of 6/10, and not for the 80 of 120/80."""
    sign = _FULL_SCORE.search(text, max(0, number.start - _BEFORE), number.start)
    return sign is not None and not (
        sign[0][0] == "/" and before and before[-1].value > number.value
    )


def _digits(text: str) -> Iterator[_Number]:
    for match in _NUMBER.finditer(text):
        digits = match[0].replace(",", "")
        decimals = len(digits.partition(".")[2])
        yield _Number(*match.span(), float(digits), decimals)


def _words(text: str) -> Iterator[_Number]:
    """The numbers in English words; "one" is also a pronoun, and counts before a unit only."""
    for match in _WORDS.finditer(text):
        number = from_words(match[0]) or from_words(f"one {match[0]}")
        if number is None:
            yield from _single_words(text, *match.span())
        elif half := _AND_HALF.match(text, match.end()):
            yield _Number(match.start(), half.end(), number + 0.5, 1)
        else:
            yield _Number(*match.span(), float(number), needs_unit=match[0] == "one")
    for match in _HALF.finditer(text):
        yield _Number(*match.span(), 0.5, 1, needs_unit=True)


def _single_words(text: str, start: int, end: int) -> Iterator[_Number]:
    """The numbers in words that stand side by side without being one number."""
    for match in _WORD.finditer(text, start, end):
        if (number := from_words(match[0])) is not None:
            yield _Number(*match.span(), float(number))


def _han(text: str) -> Iterator[_Number]:
    for match in _HAN.finditer(text):
        number = from_han(match[0])
        if number is not None:
            decimals = len(match[0].partition("点")[2])
            is_counted = _COUNT.match(text, match.end()) is not None
            yield _Number(*match.span(), number, decimals, needs_unit=not is_counted)
    for match in _HAN_HALF.finditer(text):
        yield _Number(*match.span(), 0.5, 1)


def _with_unit(text: str, number: _Number, units: Mapping[int, Mention]) -> Iterator[Quantity]:
    start, end, value, decimals, needs_unit = number
    gap = _GAP.match(text, end)
    if scale := _OUT_OF.match(text, end) or _SCORED.match(text, end):
        most = scale[1] if scale.re is _OUT_OF else None
        unit = POINTS if most in (None, "10") else f"of {most}"
        yield Quantity(value, unit, start, scale.end(), decimals)
        return
    match = units.get(gap.end() if gap else end)
    if match is None:
        if not needs_unit:
            yield Quantity(value, "", start, end, decimals)
        return
    if more := _DEGREES.match(text, match.start) or _MORE_HALF.match(text, match.end):
        tenths = 0.5 if more[0].endswith("半") else (from_han(more[0][-1]) or 0) / 10
        yield Quantity(value + tenths, match.name, start, more.end(), 1)
        return
    yield Quantity(value, match.name, start, match.end, decimals)
