"""The R4 search parameters of the resource types that a record holds."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, TypeAlias, cast

from wardround.core.packaged_data import read_rows, split_cell

Kind: TypeAlias = Literal[
    "token", "string", "date", "quantity", "reference", "number", "uri", "composite"
]
PATH = re.compile(
    r"(?P<steps>[\w.+]+)(?:\[(?P<name>\w+)=(?P<value>\w+)\])?:(?P<type>\w+)(?:\((?P<about>.+)\))?"
)


class Path(NamedTuple):
    """A way from a resource to values of a type.

    Attributes:
        steps: names of elements, each below the one before.
        type: the FHIR type of the values; `truth` for a Boolean that several elements share.
        about: the only target type of a reference that counts, or the system of a code.
        where: an element and the value it must have.
    """

    steps: tuple[str, ...]
    type: str
    about: str = ""
    where: tuple[str, str] | None = None


class Composite(NamedTuple):
    """The place of a composite's values, and below it the kind and paths of each part."""

    base: tuple[str, ...]
    parts: tuple[tuple[Kind, tuple[Path, ...]], ...]


@dataclass(frozen=True, slots=True)
class SearchParameter:
    """A search parameter of a resource type.

    Attributes:
        number: its place in the table; index tables of a record name it by this.
        type: the resource type, or `Resource` for one that all types have.
        targets: the types that a reference may lead to.
        components: the kinds of a composite's parts.
    """

    number: int
    type: str
    name: str
    kind: Kind
    paths: tuple[Path | Composite, ...]
    targets: tuple[str, ...] = ()
    components: tuple[Kind, ...] = ()


def parameter(resource_type: str, name: str) -> SearchParameter | None:
    """The search parameter with a name; `_id` and `_lastUpdated` belong to every type.

    >>> parameter("Observation", "code-value-quantity").components
    ('token', 'quantity')
    """
    return table().get((resource_type, name)) or table().get(("Resource", name))


@cache
def parameters(resource_type: str) -> tuple[SearchParameter, ...]:
    """The type's own search parameters, by name."""
    return tuple(each for (owner, _), each in table().items() if owner == resource_type)


@cache
def resource_types() -> tuple[str, ...]:
    """The types that a record holds, by name."""
    return tuple(dict.fromkeys(owner for owner, _ in table() if owner != "Resource"))


@cache
def patient_compartment() -> dict[str, tuple[str, ...]]:
    """By type, the parameters that lead to the patient whose compartment holds a resource."""
    rows = read_rows(__package__, "patient_compartment.tsv")
    return {resource_type: split_cell(names) for resource_type, names in rows}


@cache
def table() -> dict[tuple[str, str], SearchParameter]:
    """All search parameters by type and name."""
    rows = enumerate(read_rows(__package__, "search_parameters.tsv"))
    return {(row[0], row[1]): parse_row(number, row) for number, row in rows}


def parse_row(number: int, row: list[str]) -> SearchParameter:
    """The search parameter in a row of the table."""
    resource_type, name, kind, paths, targets, components = row
    kinds = cast("tuple[Kind, ...]", split_cell(components))
    return SearchParameter(
        number,
        resource_type,
        name,
        cast("Kind", kind),
        tuple(parse_composite(each, kinds) if kinds else parse_path(each)
              for each in split_cell(paths)),
        split_cell(targets),
        kinds,
    )  # fmt: skip


def parse_composite(text: str, kinds: tuple[Kind, ...]) -> Composite:
    """A composite's paths, as in `component|code:CodeableConcept|valueQuantity:Quantity`."""
    base, *parts = text.split("|")
    paths = (tuple(map(parse_path, part.split(","))) for part in parts)
    return Composite(tuple(base.split(".")) if base else (), tuple(zip(kinds, paths, strict=True)))


def parse_path(text: str) -> Path:
    """A path of the table.

    >>> parse_path("telecom[system=phone]:ContactPoint")
    Path(steps=('telecom',), type='ContactPoint', about='', where=('system', 'phone'))
    """
    match = PATH.fullmatch(text)
    if not match:
        raise ValueError(f"{text} is not a path of a search parameter.")
    where = (match["name"], match["value"]) if match["name"] else None
    return Path(
        tuple(re.split(r"[.+]", match["steps"])), match["type"], match["about"] or "", where
    )
