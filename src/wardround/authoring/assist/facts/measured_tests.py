"""Findings about tests: the latest and first value in a stay, and the course between them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from wardround.authoring.assist.facts.findings import (
    Entity,
    Finding,
    PlannedCall,
    Slot,
    complete_finding,
)
from wardround.authoring.assist.facts.functions import computed
from wardround.authoring.assist.facts.resource_reader import ResourceReader
from wardround.authoring.assist.facts.sources import Computed, at, entries_of
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.result_changes import direction

# Tests whose latest result says little without one of the days before, and how many days.
_FOLLOWED, _FOLLOWED_FOR = ("hemoglobin", "creatinine"), timedelta(days=3)
_DECIMALS = 3  # of a difference of results, without the error of floating point
_SHOWN = 20  # results that a search shows, so that the last of these is the first of the stay
VALUE = "valueQuantity.value"
_TIME = "effectiveDateTime"
_UNIT, _TEST = "valueQuantity.unit", "code.coding.0.display"
# A result beside its limits, the latest result alone, a change since the one before, or nothing.
Level: TypeAlias = Literal["flag", "latest flag", "change", "none"]


def measured_findings(
    test: str, call: PlannedCall, readers: Sequence[ResourceReader], level: Level
) -> Iterator[Finding]:
    """The latest value of a test, and of laboratory tests the first and the course in a stay.

    Args:
        test: the test.
        call: the search that finds it.
        readers: its results, the newest first.
        level: what a result says of itself beside its value.
    """
    entity, read, first = Entity("test", test), readers[0], readers[-1]
    is_flagged = level in ("flag", "latest flag")
    latest, newest = _measurement(test, read, is_flagged=is_flagged), _newest(call, read)
    if level == "change":
        before = readers[1:2]
        changed = {**latest, "change": _change(test, before[0], read) if before else None}
        changes = [
            e
            for b in before
            for e in complete_finding("vital_latest", entity, _newest(call, b), changed)
        ]
        yield from changes or complete_finding("vital_value", entity, newest, latest)
        return
    earlier = _days_before(readers) if is_flagged and test in _FOLLOWED else None
    if earlier:
        of_before = {"before": earlier.number(VALUE), "before_day": earlier.day(_TIME)}
        yield from complete_finding(
            "lab_latest", entity, _newest(call, earlier), latest | of_before
        )
    else:
        kind = "lab_latest" if is_flagged else "vital_value"
        yield from complete_finding(kind, entity, newest, latest)
    if len(readers) == 1 or len(entries_of(read.result)) >= _SHOWN:
        return
    if level == "flag":
        start = _measurement(test, first, is_flagged=True)
        yield from complete_finding("lab_first", entity, call, start)
    course = {name: latest[name] for name in ("test", "value", "unit") if name in latest}
    both = {"first": first.number(VALUE), "direction": _change(test, first, read)}
    values = [float(each.value(VALUE)) for each in reversed(readers)]
    if values[0] != values[-1] and not _has_peak(test, values):
        yield from complete_finding("lab_course", entity, call, course | both)


def _has_peak(test: str, values: Sequence[float]) -> bool:
    """True if a value between the first and the last is well above or below both.

    >>> _has_peak("potassium", [4.7, 5.6, 4.1]), _has_peak("potassium", [5.6, 4.7, 4.1])
    (True, False)
    """
    ends = values[0], values[-1]
    is_above = direction(test, max(ends), max(values)) == "rise"
    return is_above or direction(test, min(ends), min(values)) == "fall"


def _days_before(readers: Sequence[ResourceReader]) -> ResourceReader | None:
    """The first result of the days before the latest one; None if there is none.

    Where the results since then went beyond both, it is the farthest of them instead, so that no
    peak or fall is passed over.

    Args:
        readers: the results, the newest first.
    """
    times = [datetime.fromisoformat(str(each.value(_TIME))) for each in readers[:_SHOWN]]
    before = [
        number
        for number, time in enumerate(times)
        if time.date() < times[0].date() and times[0] - time <= _FOLLOWED_FOR
    ]
    if not before:
        return None
    values = [float(each.value(VALUE)) for each in readers[: before[-1] + 1]]
    return readers[_turning_point(values)]


def _turning_point(values: Sequence[float]) -> int:
    """The number of the value farthest beyond the first and the last; of the last if none is.

    Of several it is the first.

    >>> _turning_point([11.4, 12.1, 11.1]), _turning_point([10.5, 10.4, 11.3, 10.6])
    (1, 2)
    >>> _turning_point([9.6, 9.4, 9.2]), _turning_point([1.1, 1.2, 1.0, 1.1])
    (2, 1)
    """
    low, high = sorted((values[0], values[-1]))
    beyond = [round(max(each - high, low - each), _DECIMALS) for each in values]
    return beyond.index(max(beyond)) if max(beyond) > 0 else len(values) - 1


def _newest(call: PlannedCall, read: ResourceReader) -> PlannedCall:
    """A call for a result and newer ones only, so that a later turn that asks for all is new."""
    return PlannedCall(call.tool, {**call.arguments, "_count": read.entry + 1})


def _change(test: str, before: ResourceReader, after: ResourceReader) -> Slot | None:
    """The direction from one value to another; None if it could be argued about."""
    ends = [each.recorded(VALUE) for each in (before, after)]
    named = after.named(_TEST, test)
    of = tuple(each for each in (*ends, named) if each)
    direction = computed("direction", [each.value for each in of]) if len(of) == 3 else ""
    if direction == "steady" and before.value(VALUE) != after.value(VALUE):
        return None  # a small change: "rise" or "fall" is right as well
    return Slot("direction", Computed("direction", of, direction)) if direction else None


def _measurement(test: str, read: ResourceReader, *, is_flagged: bool) -> dict[str, Slot | None]:
    slots = {
        "test": read.term(_TEST, "test", test),
        "value": read.number(VALUE),
        "day": read.day(_TIME),
    }
    if unit := read.coded(_UNIT, "unit"):
        slots["unit"] = unit
    if not is_flagged:
        return slots
    limits = [read.recorded(f"referenceRange.0.{end}.value") for end in ("low", "high")]
    of = tuple(each for each in (read.recorded(VALUE), *limits) if each)
    if len(of) < 3:
        return {**slots, "flag": None}
    flag = Computed("flag", of, computed("flag", [each.value for each in of]))
    return {**slots, "flag": Slot("flag", flag)}


def entry_numbers(result: Any, test: str) -> list[int]:
    """The numbers of the entries of a test, the newest first; none if they could be mistaken.

    They have one unit and no two have the same time. A search for a name finds tests that have it
    in theirs as well, such as hemoglobin A1c; these need another unit.
    """
    entries = entries_of(result)
    numbers = [n for n, each in enumerate(entries) if english(name_of_test(each), "test") == test]
    units = {at(entries[number], _UNIT) for number in numbers}
    others = {at(each, _UNIT) for n, each in enumerate(entries) if n not in numbers}
    times = {entries[number].get(_TIME) for number in numbers}
    is_plain = len(units) == 1 and units.isdisjoint(others) and len(times) == len(numbers)
    return numbers if is_plain else []


def is_quantity(observation: Any) -> bool:
    """True if a result is a number."""
    return isinstance(at(observation, VALUE), int | float)


def name_of_test(observation: Any) -> str:
    """The name of the test of a result, as recorded."""
    return str(at(observation, "code.coding.0.display") or "")
