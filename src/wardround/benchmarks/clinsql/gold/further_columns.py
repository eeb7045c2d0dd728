"""Columns of a result that its question does not ask for: do they follow from those asked for?

A text or an identifier beside the answer says nothing of what was asked, and is ignored. A number
that is not asked for is right only if it follows from the gold's: the same number, its percentage
or share, what is left to a hundred, a sum, difference or ratio of two, a total of a column, or
two whole numbers whose ratio is a share of the gold.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeAlias

from wardround.benchmarks.clinsql.checks.columns import SAME, concepts, similarity
from wardround.benchmarks.kit.checks import Finding

# A cell as it is compared: nothing, a number or text.
Value: TypeAlias = "float | str | None"
Column: TypeAlias = Sequence[Value]
Numbers: TypeAlias = Sequence[float]
_IDENTIFIERS = frozenset(["subject_id", "hadm_id", "stay_id", "itemid", "icd_code", "icd_version"])
# Half a unit of the second decimal, and half a percent.
_NEAR = 0.005


def further_columns(mine: Mapping[str, Column], gold: Mapping[str, Column]) -> Finding | None:
    """The fault of columns beside the gold's; None if there is none.

    Args:
        mine: the columns that are not asked for, by name, their rows as the gold's.
        gold: the gold's columns.

    >>> gold = {"deaths": [2.0], "death_percent": [12.5]}
    >>> further_columns({"stays": [16.0], "condition": ["sepsis"]}, gold) is None
    True
    >>> further_columns({"death_rate": [0.3]}, gold).state
    'failed'
    >>> further_columns({"mean_age": [61.2]}, gold).state
    'undecided'
    """
    wanted, beside = _numeric(gold), _numeric(mine)
    for name, column in mine.items():
        if name.lower() in _IDENTIFIERS:
            continue
        if name not in beside:
            alike = {other for other in gold if other not in wanted}
            follows = any(list(column) == list(gold[other]) for other in alike)
        else:
            alike = set(wanted)
            rest = [numbers for other, numbers in beside.items() if other != name]
            follows = _follows(beside[name], rest, list(wanted.values()))
        if follows:
            continue
        if same := next((other for other in gold if other in alike and _means(name, other)), None):
            return Finding("failed", f"the result's {name} differs from the gold's {same}")
        if name in beside:
            reason = f"{name} is not asked for and does not follow from the gold's values"
            return Finding("undecided", reason)
    return None


def _numeric(columns: Mapping[str, Column]) -> dict[str, Numbers]:
    """The columns of numbers; NaN where a cell is empty."""
    return {
        name: [cell if isinstance(cell, float) else math.nan for cell in column]
        for name, column in columns.items()
        if not any(isinstance(cell, str) for cell in column)
    }


def _means(name: str, other: str) -> bool:
    return concepts(name) == concepts(other) or similarity(name, other) >= SAME


def _follows(numbers: Numbers, rest: Sequence[Numbers], wanted: Sequence[Numbers]) -> bool:
    """True if numbers follow from the gold's, or are part or whole of a share of it."""
    if any(_are_near(numbers, each) for each in _consequences(wanted)):
        return True
    return any(
        _are_near(_ratio(part, whole, scale), share)
        for other in (*wanted, *rest)
        if _are_whole(numbers) and _are_whole(other)
        for part, whole in ((numbers, other), (other, numbers))
        if all(a <= b for a, b in zip(part, whole, strict=True))
        for scale in (1, 100)
        for share in wanted
        if share is not other
    )


def _consequences(wanted: Sequence[Numbers]) -> Iterator[Numbers]:
    """Columns that follow from those of the gold."""
    for one in wanted:
        yield one
        yield [each / 100 for each in one]
        yield [each * 100 for each in one]
        yield [100 - each for each in one]
        yield [sum(one)] * len(one)
    for one, other in permutations(wanted, 2):
        yield [a + b for a, b in zip(one, other, strict=True)]
        yield [a - b for a, b in zip(one, other, strict=True)]
        yield _ratio(one, other, 1)
        yield _ratio(one, other, 100)


def _ratio(one: Numbers, other: Numbers, scale: float) -> Numbers:
    """The ratio of two columns; not near anything where the second is 0."""
    pairs = zip(one, other, strict=True)
    return [scale * a / b if b else math.nan for a, b in pairs]


def _are_whole(numbers: Numbers) -> bool:
    return all(each.is_integer() for each in numbers)


def _are_near(one: Numbers, other: Numbers) -> bool:
    pairs = zip(one, other, strict=True)
    return all(
        abs(a - b) <= _NEAR * max(1.0, abs(b)) or (math.isnan(a) and math.isnan(b))
        for a, b in pairs
    )
