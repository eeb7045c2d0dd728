"""Chinese numerals, written by the rules that `from_han` reads."""

_DIGITS = "零一二三四五六七八九"


def in_han(number: int) -> str:
    """A whole number from 0 to 9999 in Chinese: 十二, 一百零五, 一千五百."""
    written, rest, is_gap = "", number, False
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十")):
        digit, rest = divmod(rest, unit)
        if digit:
            written += f"{'零' * is_gap}{_DIGITS[digit]}{sign}"
        is_gap = bool(written) and not digit
    if rest or not written:
        written += f"{'零' * is_gap}{_DIGITS[rest]}"
    return written.removeprefix("一") if 10 <= number < 20 else written
