"""The phases of a resource, from when it is known until all of it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.phases.known_time import ends_at, known_from, own_end
from wardround.ehr.fhir.phases.rules import (
    BEGINNINGS,
    ENDINGS,
    ENDS,
    NO_TIMES,
    OVER,
    PLANNED,
    TIMELESS,
)
from wardround.ehr.fhir.phases.stays import Stays, end_of, start_of, value_at_path

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T.*)?)?)?")
_QUOTED = re.compile(r'"(\d{4}(?:-\d\d(?:-\d\d(?:T[^"]*)?)?)?)"')
_FIRST = tuple("0123456789")


@dataclass(frozen=True, slots=True)
class Phase:
    """A resource as known in a span of time, in milliseconds; None is an open end."""

    resource: Resource
    known_from: int | None = None
    known_until: int | None = None


@dataclass(frozen=True, slots=True)
class _Course:
    """A resource with what the rules say of it.

    Attributes:
        end: the instant from which it is known to be over.
        ending: the text of its own end.
        exempt: the elements whose times are not looked at.
        zone: the name of the time zone of times without an offset.
    """

    resource: Resource
    end: int | None
    ending: str
    exempt: frozenset[str]
    zone: str


def phases(resource: Resource, stays: Stays, zone: str) -> list[Phase]:
    """The phases of a resource in order; the last one is the whole resource.

    Args:
        resource: a resource of any type.
        stays: the encounters of the record.
        zone: the name of the time zone of times without an offset.
    """
    first = known_from(resource, stays, zone)
    if resource["resourceType"] in TIMELESS:
        return [Phase(resource, first)]
    course = _course(resource, stays, zone)
    if first is not None and _is_over(course, first):
        return [Phase(resource, first)]
    starts = [first, *sorted(set(_later(course, first)))]
    return [
        Phase(resource if end is None else _as_of(course, start), start, end)
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]


def _course(resource: Resource, stays: Stays, zone: str) -> _Course:
    end, ending = ends_at(resource, stays, zone), own_end(resource)
    return _Course(resource, end, ending, _exempt(resource["resourceType"]), zone)


def _is_over(course: _Course, instant: int) -> bool:
    """True if nothing in a resource looks like a date after an instant; most are over at once."""
    if course.end is not None and course.end > instant:
        return False
    dates = _QUOTED.findall(orjson.dumps(course.resource).decode())
    return all((end_of(date, course.zone) or 0) <= instant for date in dates)


@cache
def _exempt(kind: str) -> frozenset[str]:
    return frozenset((*NO_TIMES, *PLANNED.get(kind, ())))


def _later(course: _Course, first: int | None) -> Iterator[int]:
    """The instants after which more of a resource is known than at first."""
    instants = set(_instants(course.resource, course))
    end = course.end
    # Nearly all ends are dates of the resource.
    if end is not None and end not in instants and _as_of(course, end - 1) != course.resource:
        instants.add(end)
    return (instant for instant in instants if first is None or instant > first)


def _instants(node: Any, course: _Course, name: str = "") -> Iterator[int]:
    """The instants from which the dates in a resource are known."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key not in course.exempt:
                yield from _instants(value, course, key)
    elif isinstance(node, list):
        for value in node:
            yield from _instants(value, course, name)
    elif (instant := _known_at(name, node, course)) is not None:
        yield instant


def _known_at(name: str, value: Any, course: _Course) -> int | None:
    """The instant from which a date is known; None for other values."""
    if not isinstance(value, str) or value[:1] not in _FIRST or _DATE.fullmatch(value) is None:
        return None
    if value == course.ending:
        return course.end
    return end_of(value, course.zone) if name in ENDS else start_of(value, course.zone)


def _as_of(course: _Course, start: int | None) -> Resource:
    """A resource without the elements that were not known at an instant."""
    known: Resource = _without_future(course.resource, course, start)
    known.pop("text", None)  # a narrative tells the whole
    rule = ENDINGS.get(course.resource["resourceType"])
    if rule and course.end is not None and (start is None or course.end > start):
        for path in rule.hidden:
            _remove(known, path.split("."))
        if rule.element in known and (rule.element != "status" or known["status"] in OVER):
            known[rule.element] = rule.until
    return known


def _without_future(node: Any, course: _Course, start: int | None, name: str = "") -> Any:
    """A part of a resource as known at an instant; None for a part that is not known at all."""
    if isinstance(node, dict):
        known = {
            key: part
            for key, value in node.items()
            if (part := _part(key, value, course, start)) is not None
        }
        if node.get("status") == "completed" and known.get("period") != node.get("period"):
            known["status"] = "active"  # a stay at a location that has not ended
        return None if known.keys() <= {"url"} != node.keys() else known
    if isinstance(node, list):
        parts = (_without_future(each, course, start, name) for each in _begun(node, course, start))
        return [part for part in parts if part is not None] or None
    instant = _known_at(name, node, course)
    return None if instant is not None and (start is None or instant > start) else node


def _part(name: str, value: Any, course: _Course, start: int | None) -> Any:
    return value if name in course.exempt else _without_future(value, course, start, name)


def _begun(nodes: list[Any], course: _Course, start: int | None) -> Iterator[Any]:
    """The entries of a list that are not about something later."""
    for node in nodes:
        times = (start_of(value_at_path(node, path), course.zone) for path in BEGINNINGS)
        if not any(time is not None and (start is None or time > start) for time in times):
            yield node


def _remove(node: Any, path: list[str]) -> None:
    first, *rest = path
    if not isinstance(node, dict):
        return
    if rest:
        _remove(node.get(first), rest)
        if node.get(first) == {}:
            del node[first]
    else:
        node.pop(first, None)
