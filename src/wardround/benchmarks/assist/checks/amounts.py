"""Equality of amounts: rounding, and units by conversion."""

from wardround.benchmarks.assist.checks.model import Amount
from wardround.benchmarks.assist.checks.quantities import Quantity
from wardround.ehr.terms.conversions import convert, unit_named

_ROUGH = 0.05  # the most that rounding may change, as a share


def same_amount(amount: Amount, quantity: Quantity, test: str = "") -> bool | None:
    """True if a quantity is the amount; None if it is but for a missing unit.

    >>> same_amount(Amount(value=2.4, unit="mg/dL", decimals=1), Quantity(0, 3, 212, "umol/L"),
    ...     "creatinine")
    True
    >>> same_amount(Amount(value=3.1, unit="mmol/L", decimals=1), Quantity(0, 3, 3.2, "mmol/L", 1))
    False
    """
    if amount.bound and not quantity.bound:
        inside = _converted(quantity, amount.unit, test)
        return inside is not None and _within(inside, amount)
    if bool(amount.bound) != bool(quantity.bound) and amount.high is None:
        return False
    if amount.high is not None:
        return _same_range(amount, quantity, test)
    if quantity.high is not None:
        return False
    if not amount.unit or not quantity.unit:
        equal = rounded_equal(amount.value, amount.decimals, quantity.value, quantity.decimals)
        return (None if amount.unit and not quantity.unit else True) if equal else False
    value = _converted(quantity, amount.unit, test)
    if value is None:
        return False
    changed = unit_named(amount.unit) != unit_named(quantity.unit)
    decimals = _converted_decimals(amount, quantity, test) if changed else quantity.decimals
    return rounded_equal(amount.value, amount.decimals, value, decimals)


def rounded_equal(value: float, decimals: int, other: float, other_decimals: int) -> bool:
    """True if two numbers are equal when both have the digits of the shorter one.

    >>> rounded_equal(13.4, 1, 13, 0), rounded_equal(2.4, 1, 2, 0)
    (True, False)
    """
    digits = min(decimals, other_decimals)
    near = abs(value - other) <= 0.5 * 10**-digits + 1e-9
    return near and abs(value - other) <= _ROUGH * max(abs(value), abs(other)) + 1e-9


def _converted(quantity: Quantity, unit: str, test: str) -> float | None:
    if not unit or not quantity.unit:
        return quantity.value
    return convert(quantity.value, quantity.unit, unit, test)


def _converted_decimals(amount: Amount, quantity: Quantity, test: str) -> int:
    """The digits behind the point that a conversion leaves: those of the coarser number."""
    step = convert(0.5 * 10**-quantity.decimals, quantity.unit, amount.unit, test)
    if step is None or unit_named(amount.unit) is None or "°" in amount.unit:
        return amount.decimals
    digits = 0
    while digits < amount.decimals and step <= 0.5 * 10 ** -(digits + 1):
        digits += 1
    return digits


def _within(value: float, amount: Amount) -> bool:
    match amount.bound:
        case ">":
            return value > amount.value
        case ">=":
            return value >= amount.value
        case "<":
            return value < amount.value
        case _:
            return value <= amount.value


def _same_range(amount: Amount, quantity: Quantity, test: str) -> bool:
    """True for the same range, or a value within it."""
    value = _converted(quantity, amount.unit, test)
    if value is None or amount.high is None:
        return False
    if quantity.high is None:
        return amount.value <= value <= amount.high
    return abs(value - amount.value) < 1e-9 and abs(quantity.high - amount.high) < 1e-9
