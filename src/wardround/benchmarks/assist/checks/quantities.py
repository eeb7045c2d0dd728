"""Quantities in a text of either language: digits of any width, number words, units."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isclose

from wardround.benchmarks.assist.checks.dates import without_times
from wardround.benchmarks.assist.checks.lexicon import spans
from wardround.ehr.terms.chinese import TermMention, mentions, plain
from wardround.ehr.terms.conversions import convert
from wardround.scoring.numerals import from_words

_NUMBER = re.compile(r"(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?")
_WORD = re.compile(r"\b[a-z]+(?:-[a-z]+)?\b")
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2}
_COUNTED = [
    "天",
    "日",
    "周",
    "月",
    "年",
    "次",
    "片",
    "粒",
    "分",
    "瓶",
    "步",
    "岁",
    "倍",
    "个月",
    "小时",
    "毫",
]
_HAN = re.compile(
    rf"(?<![一二三四五六七八九十两百])[一二三四五六七八九十两百]++(?=\s*(?:{'|'.join(_COUNTED)}))"
)
_OUT_OF = re.compile(r"\s*(?:out of\s*(\d+)|/\s*10)\b")
_SCORED = re.compile(r"\s*分(?![钟升])")
_TO = re.compile(r"\s*(?:[(（][^)）]*[)）])?\s*(?:to|-|–|[升降变]?[至为到])\s*")
_FULL_SCORE = re.compile(r"(?:out of|/|满分)\s*$")
_BEFORE = 20  # letters before a number in which its full score is looked for
_MOST_BETWEEN = 100  # letters between the ends of a range
_GAP = re.compile(r"[ -]*")
# Names that hold digits.
NAMED = re.compile(
    r"cha2ds2[- ]?vasc|curb[- ]?65|t4|t3|b\d\d?|h2|sp?o2|pao2|c3|c4|a1c|covid-19", re.I
)
_NOT_NUMBERS = frozenset({"one", "a"})
POINTS = "points"
_CLOSE = 0.02
_TEXTS = 4096  # cached texts


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
    """
    return list(_quantities(text))


@lru_cache(_TEXTS)
def _quantities(text: str) -> tuple[Quantity, ...]:
    lower = plain(text)
    masked = _masked(lower)
    units = {m.start: m for m in mentions(_masked_trends(lower), "unit")}
    found = sorted({*_digits(masked), *_words(masked), *_han(masked)})
    read: list[Quantity] = []
    for start, end, value in found:
        # A unit such as 10^9/L holds numbers.
        within = bool(read) and start < read[-1].end
        if not within and not _FULL_SCORE.search(lower, max(0, start - _BEFORE), start):
            read.append(_with_unit(lower, start, end, value, units))
    followed = zip(read, [*read[1:], None], strict=False)  # one more if there is none
    return tuple(_as_in_range(each, behind, lower) for each, behind in followed)


def same(given: Quantity, wanted: Quantity, test: str = "") -> bool | None:
    """True if two quantities are equal after rounding and conversion; None if a unit is missing.

    Args:
        given: the quantity of an answer.
        wanted: the quantity that is wanted.
        test: the test that it is of, for molar units.

    >>> a, b = quantities("79 umol/L"), quantities("0.9 mg/dL")
    >>> same(a[0], b[0], "creatinine"), same(a[0], b[0], "glucose")
    (True, False)
    """
    if given.unit == wanted.unit or not wanted.unit or {given.unit, wanted.unit} == {"", POINTS}:
        return _rounded(given, wanted.value, wanted.decimals)
    if not given.unit:
        return None if _rounded(given, wanted.value, wanted.decimals) else False
    converted = convert(wanted.value, wanted.unit, given.unit, test)
    return converted is not None and isclose(given.value, converted, rel_tol=_CLOSE)


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


def _masked_trends(text: str) -> str:
    """The text without words such as 升至, whose first letter is also a unit."""
    letters = list(text)
    for start, end in spans(text, "rise", "fall"):
        letters[start:end] = " " * (end - start)
    return "".join(letters)


def _digits(text: str) -> Iterator[tuple[int, int, str]]:
    return ((m.start(), m.end(), m[0].replace(",", "")) for m in _NUMBER.finditer(text))


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _WORD.finditer(text):
        number = None if match[0] in _NOT_NUMBERS else from_words(match[0])
        if number is not None:
            yield match.start(), match.end(), str(number)


def _han(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _HAN.finditer(text):
        yield match.start(), match.end(), str(_han_number(match[0]))


def _han_number(text: str) -> int:
    """A Chinese numeral below a thousand.

    >>> [_han_number(text) for text in ("两", "十", "十二", "二十五", "一百二十")]
    [2, 10, 12, 25, 120]
    """
    total, digit = 0, 0
    for letter in text:
        if letter in "十百":
            total += (digit or 1) * (10 if letter == "十" else 100)
            digit = 0
        else:
            digit = _DIGITS[letter]
    return total + digit


def _with_unit(
    text: str, start: int, end: int, number: str, units: Mapping[int, TermMention]
) -> Quantity:
    decimals = len(number.partition(".")[2])
    gap = _GAP.match(text, end)
    if scale := _OUT_OF.match(text, end) or _SCORED.match(text, end):
        most = scale[1] if scale.re is _OUT_OF else None
        unit = POINTS if most in (None, "10") else f"of {most}"
        return Quantity(float(number), unit, start, scale.end(), decimals)
    found = units.get(gap.end() if gap else end)
    if found is None:
        return Quantity(float(number), "", start, end, decimals)
    return Quantity(float(number), found.english, start, found.end, decimals)
