"""Orders and doses of drugs in the results of searches: their drug, and the course of an order."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any

from wardround.authoring.assist.facts.sources import at, entries_of
from wardround.ehr.terms.chinese import english

VALIDITY = "dispenseRequest.validityPeriod"
FREQUENCY = "dosageInstruction.0.timing.code.coding.0.code"
SINGLE = ("once", "now")  # frequencies of one dose
_LONGEST, _SHORT = 48, 4  # hours between two orders of a course at most, and with no dose left out
_DAILY, _LATELY = 18, 48  # hours between two doses of once a day at least, and since the last one
# No second dose of a drug is due within these hours, nor within this share of its usual interval.
_AT_ONCE, _EARLY = 1, 0.25
# A drug is not taken any more after so many of its usual intervals and hours without a dose; one
# that was given once is thought to be of once a day.
_MISSED, _GRACE, _DAY = 2, 24, 24
_AS_NEEDED = "as needed"  # the end of a frequency of a drug that is given when it is asked for
# Words of the names of drugs that are released for half a day at least, which nobody needs more
# often: frequencies of more doses a day, and the hours that three doses take at least.
_RELEASED_SLOWLY = frozenset(("extended", "er", "xr", "xl", "sr", "cr", "la"))
_OFTEN = ("three times daily", "every 8 hours", "four times daily", "every 6 hours",
          "every 4 hours")  # fmt: skip
_THREE = 20
_HOUR = 3_600  # seconds
_GIVEN = "dosage.dose"
_FLUSH = "flush"  # keeps a line open and is not a treatment
# Fluids that carry a drug, and the sign between a drug and its fluid.
_CARRIERS = ("dextrose", "sodium chloride", "lactated ringers")
_WITH = " / "


def drug_of(name: str) -> str | None:
    """The drug of an order or dose, by its generic name, without the fluid that carries it.

    >>> drug_of("CeftriaXONE / Iso-Osmotic Dextrose"), drug_of("5% Dextrose"), drug_of("penguin")
    ('ceftriaxone', 'dextrose', None)
    """
    whole = english(name, "drug")
    parts = whole.split(" + ") if whole and _WITH in name else []
    drugs = [part for part in parts if part not in _CARRIERS]
    return " + ".join(drugs) if drugs else whole


def is_flush(name: str) -> bool:
    """True if an order or dose only keeps a line open."""
    return _FLUSH in name.casefold()


def is_in_force(order: Any, clock: datetime) -> bool:
    """True if an order has not ended at a time.

    >>> clock = datetime.fromisoformat("2148-04-02T10:00:00-04:00")
    >>> ends = ("2148-04-02T10:00:00-04:00", "2148-04-02T11:00:00-04:00")
    >>> [is_in_force({"dispenseRequest": {"validityPeriod": {"end": end}}}, clock) for end in ends]
    [False, True]
    """
    end = at(order, f"{VALIDITY}.end")
    return not end or datetime.fromisoformat(end) > clock


def is_single_dose(order: Any) -> bool:
    """True if an order is of one dose, beside which another order may go on."""
    return _frequency(order) in SINGLE


def first_of_course(orders: Sequence[Any], hours: float = _LONGEST) -> int:
    """The number of the order that the newest one renews: the same dose, and no day between them.

    Args:
        orders: the orders of a drug, the newest first.
        hours: the longest time between two of them.

    >>> days = [("2148-03-30", "2148-04-02"), ("2148-03-28", "2148-03-30"),
    ...         ("2148-03-20", "2148-03-22")]
    >>> first_of_course([{"dispenseRequest": {"validityPeriod": {"start": start, "end": end}}}
    ...                  for start, end in days])
    1
    """
    number = 0
    for before, (newer, older) in enumerate(pairwise(orders), start=1):
        start, end = at(newer, f"{VALIDITY}.start"), at(older, f"{VALIDITY}.end")
        if not start or not at(older, f"{VALIDITY}.start"):
            break
        is_broken = bool(end) and _hours(end, start) > hours
        if is_broken or _instruction(newer) != _instruction(older):
            break
        number = before
    return number


def is_maybe_broken(orders: Sequence[Any]) -> bool:
    """True if it could be argued since which day an order is unchanged.

    Other orders of the drug or hours without one lie between it and earlier ones of the same dose.

    >>> times = [("2148-04-02T12:00", ""), ("2148-04-01T09:00", "2148-04-02T07:00")]
    >>> is_maybe_broken([{"dispenseRequest": {"validityPeriod": {"start": start, "end": end}}}
    ...                  for start, end in times])
    True
    """
    begun = {
        str(at(orders[number], f"{VALIDITY}.start"))[: len("2180-01-01")]
        for number in (first_of_course(orders, _SHORT), _first_alike(orders))
    }
    return len(begun) > 1


def _first_alike(orders: Sequence[Any]) -> int:
    """The number of the first order of the newest one's dose, others between them or not.

    The first of those that follow each other within a day.
    """
    alike = [n for n, each in enumerate(orders) if _instruction(each) == _instruction(orders[0])]
    return alike[first_of_course([orders[number] for number in alike])]


def is_contradicted(order: Any, doses: Sequence[Any]) -> bool:
    """True if a dose that was given since an order began is of another amount.

    Hospitals write the parts of a dose as orders of their own.
    """
    start = at(order, f"{VALIDITY}.start")
    amounts = {
        (at(each, f"{_GIVEN}.value"), at(each, f"{_GIVEN}.unit"))
        for each in doses
        if each.get("status") == "completed" and start and _hours(start, _given_at(each)) >= 0
    }
    quantity = "dosageInstruction.0.doseAndRate.0.doseQuantity"
    ordered = at(order, f"{quantity}.value"), at(order, f"{quantity}.unit")
    return any(unit == ordered[1] and amount != ordered[0] for amount, unit in amounts)


def is_given_twice(hours: Sequence[float]) -> bool:
    """True if a drug was given twice within an hour, or much sooner than usual, lately.

    A drug of once a day is given sooner within hours; it is one if at least half of its doses are a
    day apart. Lately is in the last two days.

    Args:
        hours: the hours since each of its doses.

    >>> is_given_twice([14, 23, 47, 71]), is_given_twice([14, 38, 62]), is_given_twice([2, 14, 26])
    (True, False, False)
    >>> is_given_twice([2, 10, 10.3, 18]), is_given_twice([2, 10, 18, 60, 60.3])
    (True, False)
    >>> is_given_twice([2, 4.4, 14.1, 26.2]), is_given_twice([2, 8, 14, 26])
    (True, False)
    """
    pairs = [(later, earlier - later) for later, earlier in pairwise(sorted(hours))]
    short = [later for later, apart in pairs if apart < _DAILY]
    usual = median((apart for _, apart in pairs)) if pairs else 0
    at_once = [later for later, apart in pairs if apart < max(_AT_ONCE, _EARLY * usual)]
    doubled = at_once if len(pairs) < 2 * len(short) else short
    return min(doubled, default=_LATELY + 1) <= _LATELY


def is_lapsed(orders: Sequence[Any], hours: Sequence[float]) -> bool:
    """True if a drug that is given by a schedule was given, but not for days.

    Its order may go on. A drug that is given as needed may not have been asked for.

    Args:
        orders: the orders of the drug that are in force.
        hours: the hours since each of its doses.

    >>> is_lapsed([], [200, 224, 248]), is_lapsed([], [60, 84, 108]), is_lapsed([], [])
    (True, False, False)
    >>> is_lapsed([], [60, 66, 72]), is_lapsed([], [80])
    (True, True)
    """
    times = sorted(hours)
    usual = median([later - sooner for sooner, later in pairwise(times)] or [_DAY])
    is_asked_for = any(_frequency(each).endswith(_AS_NEEDED) for each in orders)
    return bool(times) and not is_asked_for and times[0] > _MISSED * usual + _GRACE


def is_slow_release_too_often(orders: Sequence[Any], hours: Sequence[float]) -> bool:
    """True if a drug is ordered or was lately given more than twice a day in a slow release form.

    Args:
        orders: the orders of the drug that are in force, with the names of their forms.
        hours: the hours since each of its doses.

    >>> orders = [{"medicationCodeableConcept": {"text": "Verapamil SR"}}]
    >>> [is_slow_release_too_often(orders, hours) for hours in ([2, 10, 18], [2, 14, 26])]
    [True, False]
    """
    slow = [each for each in orders if _is_slow(each)]
    times = sorted(hours)
    threes = (third - first for first, third in zip(times, times[2:], strict=False))
    lately = (apart for apart, first in zip(threes, times, strict=False) if first <= _LATELY)
    is_often = any(_frequency(each) in _OFTEN for each in slow)
    return is_often or (bool(slow) and any(apart < _THREE for apart in lately))


def _frequency(order: Any) -> str:
    """The English name of an order's frequency; "" without one."""
    return english(str(at(order, FREQUENCY) or ""), "frequency") or ""


def _is_slow(order: Any) -> bool:
    name = str(at(order, "medicationCodeableConcept.text")).casefold()
    return not _RELEASED_SLOWLY.isdisjoint(re.split(r"[^a-z]+", name))


def _given_at(dose: Any) -> str:
    return str(at(dose, "effectiveDateTime") or at(dose, "effectivePeriod.start"))


def _hours(start: str, end: str) -> float:
    apart = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return apart.total_seconds() / _HOUR


def _instruction(order: Any) -> list[Any]:
    """The dose, route and frequency of an order."""
    instruction = "dosageInstruction.0"
    quantity = f"{instruction}.doseAndRate.0.doseQuantity"
    paths = (f"{quantity}.value", f"{quantity}.unit", f"{instruction}.route.coding.0.code",
             FREQUENCY)  # fmt: skip
    return [at(order, path) for path in paths]


def is_of_one_drug(result: Any, drug: str) -> bool:
    """True if a search found orders or doses of one drug only, none to flush a line."""
    names = {str(at(each, "medicationCodeableConcept.text")) for each in entries_of(result)}
    return not any(map(is_flush, names)) and {drug_of(name) for name in names} == {drug}
