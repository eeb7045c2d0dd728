"""The index entries of a resource: the values at the paths of its type's search parameters."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from wardround.ehr.fhir.definitions.parameters import Path, parameters
from wardround.ehr.fhir.index.conversion import converter
from wardround.ehr.fhir.index.values import Entry, Value
from wardround.ehr.fhir.interaction import Resource

Convert: TypeAlias = Callable[[Any, str], Iterator[Value]]


class _Source(NamedTuple):
    """A place in resources of a type, with the parameter and the reader of its values."""

    parameter: str
    properties: tuple[str, ...]
    convert: Convert


def entries(resource: Resource, zone: str = "UTC") -> Iterator[Entry]:
    """The values that searches look at.

    Parameters that share a number in the definitions are listed once, under the first name.
    Composites have no entries: their components have.

    Args:
        resource: a resource of any type; unknown types have no entries.
        zone: the name of the time zone of times without an offset.

    >>> list(entries({"resourceType": "Patient", "id": "1", "gender": "female"}))
    [Entry(parameter='gender', value=Token(system='', code='female', text=''))]
    """
    for parameter, properties, convert in _sources(resource.get("resourceType", "")):
        if properties[0] in resource:
            for found in _at(resource, properties):
                for value in convert(found, zone):
                    yield Entry(parameter, value)
    yield from _presence(resource)


def _at(node: Any, properties: tuple[str, ...]) -> Iterable[Any]:
    """The values at a path; lists are walked through."""
    nodes = [node]
    for name in properties:
        if name.startswith("["):
            nodes = [each for each in nodes if each.get("system") == name[1:-1]]
            continue
        after = []
        for each in nodes:
            value = each.get(name) if isinstance(each, dict) else None
            if isinstance(value, list):
                after += value
            elif value is not None:
                after.append(value)
        nodes = after
    return nodes


@cache
def _sources(type: str) -> tuple[_Source, ...]:
    """The places of all values of a type, each number once; those of presence apart."""
    return tuple(
        _Source(name, path.properties, converter(kind, path.type))
        for name, kind, paths in _indexed(type)
        for path in paths
        if path.type != "exists"
    )


@cache
def _present(type: str) -> tuple[tuple[str, tuple[Path, ...]], ...]:
    return tuple((n, paths) for n, _, paths in _indexed(type) if paths[0].type == "exists")


def _presence(resource: Resource) -> Iterator[Entry]:
    """The parameters that are true where an element is there and is not false."""
    for name, paths in _present(resource.get("resourceType", "")):
        found = (value for path in paths for value in _at(resource, path.properties))
        for value in converter("token", "boolean")(any(v is not False for v in found), ""):
            yield Entry(name, value)


def _indexed(type: str) -> Iterator[tuple[str, str, tuple[Path, ...]]]:
    numbers = set[int]()
    for name, parameter in parameters(type).items():
        if parameter.kind != "composite" and parameter.number not in numbers:
            numbers.add(parameter.number)
            yield name, parameter.kind, parameter.paths
