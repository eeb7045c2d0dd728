"""Makes the table of search parameters from HL7's definitions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.fhir_definitions.elements import Elements
from tools.fhir_definitions.expressions import TYPES_OF_KIND, NotCompiledError, branches, compiled
from tools.fhir_definitions.value_sets import read_bundle

HEADER = ("type", "name", "kind", "paths", "targets", "components")
# Parameters of all types that are indexed; the columns of a record hold them.
ABSTRACT = ("Resource", "DomainResource")
OF_ALL_TYPES = ("_id", "_lastUpdated")


class Row(NamedTuple):
    """A search parameter of a resource type, as the table has it."""

    type: str
    name: str
    kind: str
    paths: tuple[str, ...]
    targets: tuple[str, ...]
    components: tuple[str, ...] = ()


def search_parameters(folder: Path, types: list[str], elements: Elements) -> Iterator[Row | str]:
    """The rows of the table, and sentences that name what is left out."""
    definitions = read_bundle(folder / "search-parameters.json")
    for base in [*ABSTRACT, *types]:
        here = (each for each in definitions if base in each["base"])
        for definition in sorted(here, key=lambda each: str(each["code"])):
            yield from rows(definition, base, elements)


def rows(definition: dict[str, Any], base: str, elements: Elements) -> Iterator[Row | str]:
    """The row of a search parameter, if there is one, and what it leaves out."""
    name, kind = definition["code"], definition["type"]
    if base in ABSTRACT and name not in OF_ALL_TYPES:
        yield f"{base} {name}: not indexed"
        return
    paths: list[str] = []
    components: tuple[str, ...] = ()
    if kind == "composite":
        paths, components = composite(definition, base, elements)
    elif kind in TYPES_OF_KIND:
        for branch in branches(definition.get("expression", ""), base):
            for path in compiled(branch, kind, elements):
                if isinstance(path, NotCompiledError):
                    yield f"{base} {name}: {path}"
                else:
                    paths.append(path)
    if paths:
        targets = tuple(sorted(definition.get("target", ())))
        yield Row(base, name, kind, tuple(dict.fromkeys(paths)), targets, components)
    else:
        yield f"{base} {name}: no path for {kind} {definition.get('expression', '')}"


def expressions(folder: Path, types: list[str]) -> Iterator[tuple[str, str, str]]:
    """HL7's expression for each search parameter of a type, as tests evaluate them."""
    definitions = read_bundle(folder / "search-parameters.json")
    for base in types:
        for definition in definitions:
            if base in definition["base"] and definition["type"] in TYPES_OF_KIND:
                found = " | ".join(branches(definition["expression"], base))
                yield base, definition["code"], found


def composite(
    definition: dict[str, Any], base: str, elements: Elements
) -> tuple[list[str], tuple[str, ...]]:
    """The paths `base|part|part` of a composite, and the kinds of its parts."""
    paths, kinds = [], []
    for place in definition["expression"].split(" | "):
        parts = []
        for component in definition["component"]:
            kind, part = part_paths(place, component["expression"], elements)
            parts.append(part)
            kinds.append(kind)
        paths.append("|".join([place.partition(".")[2], *parts]))
    return paths, tuple(kinds[: len(definition["component"])])


def part_paths(place: str, expression: str, elements: Elements) -> tuple[str, str]:
    """The kind of a part of a composite, and its paths below the composite's place."""
    whole = [f"{place}.{each}" for each in expression.replace("DateTime", "dateTime").split(" | ")]
    for kind in ("quantity", "date", "string", "reference", "token"):
        paths = [path for each in whole for path in compiled(each, kind, elements)]
        if not any(isinstance(path, NotCompiledError) for path in paths):
            below = place.partition(".")[2]
            return kind, ",".join(str(path).removeprefix(below).lstrip(".") for path in paths)
    raise NotCompiledError(f"{place}: {expression} is of no kind")
