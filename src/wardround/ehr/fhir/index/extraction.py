"""Finds the values of a resource that searches look at.

The paths of a type's search parameters become functions once, grouped by the element that they
begin with, so that only elements that a resource has are looked at.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo
from functools import cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from wardround.ehr.fhir.definitions import Composite, Kind, Path, parameters
from wardround.ehr.fhir.index.conversion import converter, text_at
from wardround.ehr.fhir.index.references import reference
from wardround.ehr.fhir.index.values import Entry, Reference, Token, Value
from wardround.ehr.fhir.interaction import Resource

# From the values at a path, and their resource, to index values.
Extractor: TypeAlias = Callable[[Any, Resource], Iterator[Value | tuple[Value, ...]]]
# Extractors of whole resources begin with the element that every resource has.
WHOLE = "resourceType"


def entries(resource: Resource, zone: tzinfo = UTC) -> Iterator[Entry]:
    """The indexed values of a resource by the names of their search parameters.

    `_id` and `_lastUpdated` are left out: they are columns of a record.

    Args:
        resource: a resource; elements that violate its definition are not indexed.
        zone: the zone of dates without an offset.
    """
    for element in resource:
        yield from element_entries(resource, element, zone)


def element_entries(resource: Resource, element: str, zone: tzinfo) -> Iterator[Entry]:
    """The indexed values at the paths that begin with an element of a resource."""
    group = element_plan(text_at(resource, WHOLE), zone).get(element)
    for names, extract in group.steps if group else ():
        for entry in extract(resource[element], resource):
            for name in names:
                yield Entry(name, entry)


class Group(NamedTuple):
    """The paths that begin with one element.

    Attributes:
        reads: the elements that their values depend on, but for contained resources.
        steps: functions that extract values, with the parameters they are for.
    """

    reads: tuple[str, ...]
    steps: tuple[tuple[tuple[str, ...], Extractor], ...]


@cache
def element_plan(resource_type: str, zone: tzinfo) -> dict[str, Group]:
    """The paths of a type by first element; elements that no path begins with are left out.

    >>> observation = element_plan("Observation", UTC)
    >>> observation["status"].reads, "id" in observation
    (('status',), False)
    >>> element_plan("Patient", UTC)["resourceType"].reads
    ('deceasedBoolean', 'deceasedDateTime')
    """
    names: dict[tuple[Kind, Path | Composite], list[str]] = {}
    for each in parameters(resource_type):
        for path in each.paths:
            names.setdefault((each.kind, path), []).append(each.name)
    groups: dict[str, Group] = {}
    for (kind, path), users in names.items():
        first, extract = extractor(kind, path, zone)
        reads, steps = groups.get(first, ((), ()))
        reads = tuple(sorted({*reads, *first_elements(path)}))
        groups[first] = Group(reads, (*steps, (tuple(users), extract)))
    return groups


def first_elements(path: Path | Composite) -> Iterator[str]:
    """The elements of the resource that a path, or a part of it, begins with."""
    if isinstance(path, Composite):
        yield from path.base[:1] or (part.steps[0] for _, paths in path.parts for part in paths)
    else:
        yield from path.steps if path.type == "truth" else path.steps[:1]


def extractor(kind: Kind, path: Path | Composite, zone: tzinfo) -> tuple[str, Extractor]:
    """The function for a path, and the element it begins with."""
    if isinstance(path, Composite):
        return (path.base or (WHOLE,))[0], composite(path, zone)
    if path.type == "truth":
        return WHOLE, truth(path.steps)
    return path.steps[0], values(kind, path, path.steps[1:], zone)


def values(kind: Kind, path: Path, below: tuple[str, ...], zone: tzinfo) -> Extractor:
    """The values some steps below those that are given."""
    if kind == "reference":
        return references(path, below)
    wanted, convert = converter(kind, path, zone)

    def extract(value: Any, resource: Resource) -> Iterator[Value]:
        for each in descend(value, below):
            if isinstance(each, wanted) and fits(each, path.where):
                yield from convert(each)

    return extract


def references(path: Path, below: tuple[str, ...]) -> Extractor:
    """The references and canonical addresses, if need be only those to the type that counts."""

    def extract(value: Any, resource: Resource) -> Iterator[Value]:
        for each in descend(value, below):
            if isinstance(each, dict):
                values_by_extractor = reference(each, resource)
                if values_by_extractor and path.about in ("", values_by_extractor.type):
                    yield values_by_extractor
            elif isinstance(each, str):
                yield Reference(url=each)

    return extract


def composite(path: Composite, zone: tzinfo) -> Extractor:
    """Combinations of the parts' values in each place."""
    extractors = [
        [values(kind, part, part.steps, zone) for part in paths] for kind, paths in path.parts
    ]

    def extract(value: Any, resource: Resource) -> Iterator[tuple[Value, ...]]:
        for element in descend(value, path.base[1:]) if path.base else [resource]:
            # Nearly all have the code, which is the first part; few have a value of the kind.
            values_by_part = list[list[Value | tuple[Value, ...]]]()
            for part in reversed(extractors):
                values_by_part.append([v for each in part for v in each(element, resource)])
                if not values_by_part[-1]:
                    break
            else:
                yield from product(*reversed(values_by_part))

    return extract


def truth(names: tuple[str, ...]) -> Extractor:
    """True if the resource has an element of these that is not false."""

    def extract(value: Any, resource: Resource) -> Iterator[Value]:
        holds = any(resource.get(name, False) is not False for name in names)
        yield Token(code=str(holds).lower())

    return extract


def descend(value: Any, steps: tuple[str, ...]) -> list[Any]:
    """The values some steps below, lists opened."""
    level = value if isinstance(value, list) else [value]
    for step in steps:
        below = [each[step] for each in level if isinstance(each, dict) and step in each]
        level = []
        for each in below:
            level.extend(each) if isinstance(each, list) else level.append(each)
    return level


def fits(value: Any, where: tuple[str, str] | None) -> bool:
    """True if a value has the element that its path asks for."""
    return where is None or value.get(where[0]) == where[1]
