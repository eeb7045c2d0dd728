"""Decides what a field of a write holds: terms, or amounts."""

import re
from collections.abc import Collection

from wardround.benchmarks.assist.checks.items import times_a_day
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import TermKind, english, plain
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import Quantity, quantities, same
from wardround.ehr.text.segments import blanked

TIMES = ("day", "week", "month")
# Times of day, one of which is once daily.
_TIMES_OF_DAY = frozenset({"every morning", "every evening", "at bedtime"})
_ONCE_DAILY = "once daily"
_PIECES = ("", "tablet", "capsule")
_BRACKETS = re.compile(r"[(（]([^()（）]*)[)）]")
_WORD = re.compile(r"[^\W\d_]")


def term_state(given: str, kind: TermKind, accepted: Collection[str]) -> State:
    """The verdict on a field of terms.

    >>> for text in ("once a day, in the morning", "QAM", "bid", "daily or BID", "with the sun"):
    ...     print(term_state(text, "frequency", {"once daily"}))
    passed
    passed
    failed
    undecided
    undecided
    >>> term_state("q12h", "frequency", {"twice daily"})
    'passed'
    >>> term_state("5x daily", "frequency", {"twice daily"})
    'undecided'
    """
    accepted = {times_a_day(each) for each in accepted}
    whole = english(given, kind)
    if times_a_day(whole or plain(given)) in accepted:
        return "passed"
    mentioned = mentions(given, kind)
    if not whole and not mentioned and _WORD.search(given):
        return "undecided"  # words that nobody reads may be the term
    named = {times_a_day(name) for name in ([whole] if whole else [m.name for m in mentioned])}
    times = named & _TIMES_OF_DAY
    named = named - times or ({_ONCE_DAILY} if len(times) == 1 else times)
    if named.isdisjoint(accepted):
        # A number before a term may be of it: "5x daily".
        is_changed = given[: mentioned[0].start].strip() if mentioned else ""
        return "undecided" if is_changed else "failed"
    says_more = _WORD.search(plain(blanked(given, [each.span for each in mentioned])))
    return "undecided" if says_more or not named <= set(accepted) else "passed"


def value_state(given: str, wanted: str) -> State:
    """The verdict on a field of amounts, of which a single one counts, or a total in brackets.

    >>> for text in ("2 tablets of 20 mg (40 mg)", "40 mg (2 tablets)", "20 mg", "20 mg or 40 mg"):
    ...     print(value_state(text, "40 mg"))
    passed
    passed
    failed
    undecided
    >>> value_state("1 tablet", "40 mg")
    'undecided'
    """
    left, right = quantities(given), quantities(wanted)
    if plain(given).strip() == plain(wanted).strip():
        return "passed"
    if not left or not right:
        return "undecided" if _WORD.search(given) else "failed"
    amounts = _amounts(given, right[0].unit) or left
    if all(each.unit in _PIECES[1:] for each in amounts) and right[0].unit not in _PIECES:
        return "undecided"  # pieces of any strength
    fits = [same(each, right[0]) is not False for each in amounts]
    if len(fits) == 1 or right[0].unit in ("", *TIMES):
        return "passed" if fits[0] else "failed"
    is_product = any(each.unit in _PIECES for each in left)
    return "undecided" if any(fits) or is_product else "failed"


def _amounts(given: str, unit: str) -> list[Quantity]:
    """The amounts of a field: those outside brackets, or the single one in them, a total."""
    brackets = _BRACKETS.search(given)
    outside = _counted(blanked(given, [brackets.span()] if brackets else []), unit)
    inside = _counted(brackets[1], unit) if brackets else []
    return inside if len(outside) > 1 and len(inside) == 1 else outside


def _counted(text: str, unit: str) -> list[Quantity]:
    """The amounts of a text without times, the number of one piece, and what they are in."""
    return [
        each
        for each in quantities(text)
        if each.unit == unit
        or not (
            each.unit in TIMES
            or (each.value == 1 and each.unit in _PIECES)
            or text[: each.start].rstrip().endswith("/")
        )
    ]
