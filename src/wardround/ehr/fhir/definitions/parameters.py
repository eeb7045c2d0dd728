"""The search parameters of R4, as `build/search_parameters.py` compiled them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias, cast

from wardround.core.packaged_data import read_rows

Kind: TypeAlias = Literal[
    "token", "string", "date", "quantity", "number", "reference", "uri", "composite"
]
_PACKAGE = __package__ or ""


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a resource.

    Attributes:
        properties: JSON properties from the resource down; `[phone]` keeps values of that system.
        type: the data type of the values there; `exists` stands for their presence.
    """

    properties: tuple[str, ...]
    type: str


@dataclass(frozen=True, slots=True)
class SearchParameter:
    """A search parameter of a resource type.

    Attributes:
        type: the resource type.
        kind: the kind of its values.
        number: its number in the index; parameters with the same values share one.
        only: the only type of target that it looks at; "" for every type.
        targets: types of resources that its references may have.
        paths: the places of its values.
        components: names of the parameters that a composite joins.
    """

    type: str
    name: str
    kind: Kind
    number: int
    only: str = ""
    targets: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    components: tuple[str, ...] = ()


def parameters(type: str) -> Mapping[str, SearchParameter]:
    """The search parameters of a resource type by name; none for an unknown type."""
    return _by_type().get(type, MappingProxyType({}))


def resource_types() -> tuple[str, ...]:
    """The resource types of a record."""
    return tuple(_by_type())


def patient_parameters(type: str) -> tuple[str, ...]:
    """The parameters that put a resource into a patient's compartment; none if it has none."""
    return _compartment().get(type, ())


@cache
def _by_type() -> dict[str, Mapping[str, SearchParameter]]:
    found: dict[str, dict[str, SearchParameter]] = {}
    for row in read_rows(_PACKAGE, "search_parameters.tsv"):
        found.setdefault(row[0], {})[row[1]] = _parameter(row)
    return {type: MappingProxyType(named) for type, named in found.items()}


def _parameter(row: list[str]) -> SearchParameter:
    type, name, kind, number, only, targets, paths = row
    places = tuple(paths.split())
    composite = kind == "composite"
    return SearchParameter(
        type,
        name,
        cast("Kind", kind),
        int(number),
        only,
        tuple(targets.split()),
        () if composite else tuple(map(_path, places)),
        places if composite else (),
    )


def _path(text: str) -> Path:
    properties, _, type = text.rpartition(":")
    return Path(tuple(properties.split(".")), type)


@cache
def _compartment() -> dict[str, tuple[str, ...]]:
    rows = read_rows(_PACKAGE, "patient_compartment.tsv")
    return {type: tuple(names.split()) for type, names in rows}
