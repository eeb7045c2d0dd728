"""Whole numbers and their words, English (Lee et al. 2025, A.6.2) and Chinese."""

from functools import cache

# fmt: off
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
# fmt: on
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = ((10**6, "million"), (1000, "thousand"), (100, "hundred"))
# The largest number that is read from words, and that is written in Chinese.
LARGEST = 9999
SMALL_NUMBERS = {word: number for number, word in enumerate((*_SMALL, "twenty"))}
TENS = {word: 10 * number for number, word in enumerate(_TENS, 2)}
# A word of a number, for patterns of numerals in words.
NUMBER_WORD = "|".join((*_SMALL[::-1], *_TENS, "hundred", "thousand"))
_HAN_DIGITS = "零一二三四五六七八九"
_HAN_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_HAN_VALUES = {digit: value for value, digit in enumerate(_HAN_DIGITS)} | {"两": 2}


def in_words(number: int) -> str:
    """A whole number in words, without hyphens and without "and"; the largest unit is a million.

    >>> in_words(247), in_words(-2_000_004)
    ('two hundred forty seven', 'minus two million four')
    """
    if number < 0:
        return f"minus {in_words(-number)}"
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _join(_TENS[number // 10 - 2], number % 10)
    unit, name = next(each for each in _UNITS if number >= each[0])
    return _join(f"{in_words(number // unit)} {name}", number % unit)


def from_words(text: str) -> int | None:
    """The number for its words, with or without hyphens and "and"; None for other text.

    >>> from_words("Two hundred and forty-seven"), from_words("aspirin")
    (247, None)
    """
    words = text.lower().replace("-", " ").split()
    return _numbers_by_words().get(" ".join(word for word in words if word != "and"))


def from_han(text: str) -> float | None:
    """The number of a Chinese numeral up to 99,999,999, with decimals; None for other text.

    >>> [from_han(text) for text in ("两", "一百二十", "六十五点五", "三万", "很")]
    [2.0, 120.0, 65.5, 30000.0, None]
    """
    whole, point, decimals = text.partition("点")
    fraction = "".join(str(_HAN_VALUES.get(digit, "x")) for digit in decimals)
    if not whole or (point and not fraction.isdigit()):
        return None
    total, part, digit = 0, 0, 0
    for letter in whole:
        unit = next((unit for unit, sign in _HAN_UNITS if sign == letter), 0)
        if letter == "万":
            total, part, digit = (total + part + digit) * 10_000, 0, 0
        elif unit:
            part, digit = part + (digit or 1) * unit, 0
        elif letter in _HAN_VALUES:
            digit = _HAN_VALUES[letter]
        else:
            return None
    return float(f"{total + part + digit}.{fraction or 0}")


def _join(head: str, rest: int) -> str:
    return f"{head} {in_words(rest)}" if rest else head


@cache
def _numbers_by_words() -> dict[str, int]:
    return {in_words(number): number for number in range(LARGEST + 1)}
