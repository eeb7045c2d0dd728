"""Quantities and dates in texts, English and Chinese: digits, numerals, units, ranges, bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.conversions import unit_named, unit_pattern
from wardround.scoring.numerals import from_words

Bound: TypeAlias = Literal["", "<", "<=", ">", ">="]
_TEXTS = 4096  # cached texts

_APART = r"(?<![a-z\d._^])(?<![a-z]-)"
_NUMBER = re.compile(rf"{_APART}\d{{1,3}}(?:,\d{{3}})+(?!\d)|{_APART}\d+(?:\.\d+)?")
_HAN = re.compile(r"(?!百分之)[零〇一二两三四五六七八九十百千半]+(?:点[零〇一二三四五六七八九]+)?")
_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty"
    r"|thirty|forty|fifty|sixty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?\b"
)
_UNIT_GAP = re.compile(r"[\s-]*|个")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
        r"(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})",
        r"(?P<y>\d{4})\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]?",
        r"(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]",
        r"(?P<y>\d{4})\s*年(?:\s*(?P<m>\d{1,2})\s*月)?",
        rf"\b{_MONTH}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y>\d{{4}}))?",
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+(?P<y>\d{{4}}))?",
        r"\b(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})\b",
        r"(?<![\d-])(?P<m>0\d|1[0-2])-(?P<d>[0-3]\d)(?![\d-])",
    )
)
_TIME = re.compile(r"\b[t ]?\d{1,2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?|\d{1,2}时\d{0,2}分?")
_BEFORE: dict[Bound, str] = {
    ">=": "≥|>=|at least|no less than|不低于|不少于|至少|大于等于",
    "<=": "≤|<=|at most|up to|no more than|not exceed(?:ing)?|不超过|不高于|不大于|至多|小于等于",
    ">": ">|above|over|greater than|more than|exceed(?:s|ing)?|higher than|超过|大于|高于",
    "<": "<|below|under|less than|lower than|小于|低于|少于",
}
_BOUNDS = tuple((re.compile(rf"(?:{words})\s*$"), bound) for bound, words in _BEFORE.items())
_RANGE_GAP = re.compile(r"\s*[-–—~～]\s*")
_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {
    "\u3007": 0,
    "两": 2,
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit at `text[start:end]`.

    Attributes:
        value: the number.
        unit: its unit's name; "" if it has none.
        decimals: the number of digits behind the point.
        bound: a bound that it gives; "" for a value.
        high: the end of a range that it begins.
    """

    start: int
    end: int
    value: float
    unit: str = ""
    decimals: int = 0
    bound: Bound = ""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Day:
    """A date at `text[start:end]`; a part that is not said is None."""

    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None

    def agrees(self, year: int | None, month: int | None, day: int | None) -> bool:
        """True if no part that both have differs, and they share one."""
        pairs = [(self.year, year), (self.month, month), (self.day, day)]
        both = [(mine, yours) for mine, yours in pairs if mine is not None and yours is not None]
        return bool(both) and all(mine == yours for mine, yours in both)


@lru_cache(_TEXTS)
def days(text: str) -> tuple[Day, ...]:
    """The dates in a text, in order.

    >>> [(d.month, d.day) for d in days("on 2150-03-04 and March 5, then 3月6日")]
    [(3, 4), (3, 5), (3, 6)]
    """
    lower, found = plain(text), dict[int, Day]()
    taken: set[int] = set()
    for pattern in _DATES:
        for match in pattern.finditer(lower):
            if taken.isdisjoint(range(*match.span())):
                taken.update(range(*match.span()))
                found[match.start()] = _day(match)
    return tuple(found[start] for start in sorted(found))


def _day(match: re.Match[str]) -> Day:
    parts = match.groupdict()
    month = parts.get("m")
    if parts.get("name"):
        month = str(_MONTHS.index(parts["name"]) + 1)
    year, day = parts.get("y"), parts.get("d")
    return Day(match.start(), match.end(), *(int(p) if p else None for p in (year, month, day)))


@lru_cache(_TEXTS)
def quantities(text: str, masked: tuple[tuple[int, int], ...] = ()) -> tuple[Quantity, ...]:
    r"""The numbers in a text with their units, in order, without dates, times and masked places.

    >>> [(q.value, q.unit) for q in quantities("肌酐\uff12\uff0e\uff14毫克/分升，用药三天")]
    [(2.4, 'mg/dL'), (3.0, 'day')]
    >>> [(q.value, q.high) for q in quantities("reference 3.5-5.0 mmol/L")]
    [(3.5, 5.0)]
    """
    lower = list(plain(text))
    for start, end in (*masked, *((day.start, day.end) for day in days(text))):
        lower[start:end] = "¦" * (end - start)
    for match in _TIME.finditer("".join(lower)):
        lower[match.start() : match.end()] = "¦" * (match.end() - match.start())
    return tuple(_joined("".join(lower), _apart(_numbers("".join(lower)))))


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        digits = match.group().replace(",", "")
        decimals = len(digits.partition(".")[2])
        yield _with_unit(text, match, float(digits), decimals)
    for match in _HAN.finditer(text):
        found = _with_unit(text, match, _han_value(match.group()), 0)
        if found.unit or "点" in match.group():
            yield found
    for match in _WORDS.finditer(text):
        found = _with_unit(text, match, float(from_words(match.group()) or 0), 0)
        if found.unit:
            yield found


def _with_unit(text: str, number: re.Match[str], value: float, decimals: int) -> Quantity:
    gap = _UNIT_GAP.match(text, number.end())
    ends = {number.end(), gap.end() if gap else number.end()}
    units = (unit_pattern().match(text, end) for end in sorted(ends, reverse=True))
    match = next((unit for unit in units if unit), None)
    bounds = (bound for pattern, bound in _BOUNDS if pattern.search(text[: number.start()]))
    bound: Bound = next(bounds, "")
    unit = unit_named(match.group()) if match else None
    percent = re.search(r"百分之\s*$", text[: number.start()])
    name = "%" if percent else unit.name if unit else ""
    end = match.end() if match else number.end()
    return Quantity(number.start(), end, value, name, decimals, bound)


def _apart(numbers: Iterator[Quantity]) -> list[Quantity]:
    """The numbers in order, without those within another's unit."""
    found: list[Quantity] = []
    for number in sorted(numbers, key=lambda each: each.start):
        if not found or number.start >= found[-1].end:
            found.append(number)
    return found


def _joined(text: str, numbers: list[Quantity]) -> Iterator[Quantity]:
    """Joins the two ends of a range, and gives both numbers of a blood pressure its unit."""
    place = 0
    while place < len(numbers):
        first = numbers[place]
        second = numbers[place + 1] if place + 1 < len(numbers) else None
        gap = text[first.end : second.start] if second else ""
        if second and _RANGE_GAP.fullmatch(gap) and first.value < second.value:
            unit = second.unit or first.unit
            decimals = max(first.decimals, second.decimals)
            yield Quantity(first.start, second.end, first.value, unit, decimals, "", second.value)
            place += 2
        elif second and gap == "/" and not first.unit:
            unit = second.unit or "mmHg"
            yield Quantity(first.start, first.end, first.value, unit, first.decimals)
            yield Quantity(second.start, second.end, second.value, unit, second.decimals)
            place += 2
        else:
            yield first
            place += 1


def _han_value(numeral: str) -> float:
    """The number of a Chinese numeral.

    >>> _han_value("二十五"), _han_value("三点一"), _han_value("半"), _han_value("一百零五")
    (25.0, 3.1, 0.5, 105.0)
    """
    whole, _, fraction = numeral.partition("点")
    if whole == "半":
        return 0.5
    total, digit = 0.0, None
    for char in whole:
        if char in _DIGITS:
            digit = _DIGITS[char] if digit is None else digit * 10 + _DIGITS[char]
        elif char == "半":
            total += 0.5
        else:
            total += {"十": 10, "百": 100, "千": 1000}[char] * (1 if digit is None else digit)
            digit = None
    total += digit or 0
    return float(f"{total:g}.{''.join(str(_DIGITS[c]) for c in fraction)}" if fraction else total)
