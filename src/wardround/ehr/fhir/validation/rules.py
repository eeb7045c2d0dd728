"""Checks cardinalities, choices and required bindings, which JSON Schema does not state."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.fhir import definitions

# The names and list places that lead to an element; the way, and a sentence about its end.
Way: TypeAlias = tuple[str | int, ...]
Fault: TypeAlias = tuple[Way, str]
# The longest way that is followed; no real resource comes near it.
DEPTH = 100


class Rules(NamedTuple):
    """The rules for the elements of a type.

    Attributes:
        required: groups of which an element must be there.
        choices: groups of which at most one may be there.
        children: elements with the type whose rules hold below them.
        bindings: concepts with the codes, and their system, of which they must have one.
    """

    required: tuple[tuple[str, ...], ...]
    choices: tuple[frozenset[str], ...]
    children: dict[str, str]
    bindings: dict[str, tuple[str, frozenset[str]]]


@cache
def table() -> dict[str, Rules]:
    """The rules by type."""
    return {name: parse(*cells) for name, *cells in read_rows(definitions.__name__, "rules.tsv")}


def parse(required: str, choices: str, children: str, bindings: str) -> Rules:
    """The rules in a row of the table."""
    bound = (cell.partition("=") for cell in split_cell(bindings))
    return Rules(
        tuple(tuple(group.split("|")) for group in split_cell(required)),
        tuple(frozenset(group.split("|")) for group in split_cell(choices)),
        dict(pair.split("=") for pair in split_cell(children)),
        {name: parse_binding(value) for name, _, value in bound},
    )


def parse_binding(text: str) -> tuple[str, frozenset[str]]:
    """A system and its codes."""
    system, *codes = text.split("|")
    return system, frozenset(codes)


def rule_faults(name: str, value: dict[str, Any], path: Way) -> Iterator[Fault]:
    """The faults of an element and of all below it."""
    yield from own_faults(name, value, path)
    for element, inner in value.items():
        yield from element_faults(name, element, inner, path)


def own_faults(name: str, value: dict[str, Any], path: Way) -> Iterator[Fault]:
    """The elements that are missing or too many."""
    rules = table()[name]
    for group in rules.required:
        if not any(each in value for each in group):
            yield (*path, group[0]), f"R4 requires {alternatives(group)} here."
    for choice in rules.choices:
        if len(present := choice & value.keys()) > 1:
            yield path, f"At most one may be there of {', '.join(sorted(present))}."


def element_faults(name: str, element: str, inner: Any, path: Way) -> Iterator[Fault]:
    """The faults of one element of a type, and of all below it."""
    rules = table()[name]
    if element in rules.bindings:
        yield from binding_faults(inner, rules.bindings[element], (*path, element))
    if element in rules.children:
        yield from below(rules.children[element], inner, (*path, element))


def below(name: str, inner: Any, path: Way) -> Iterator[Fault]:
    """The faults of an object, or of each in a list."""
    if len(path) > DEPTH:
        yield path[:3], f"Elements below are nested more than {DEPTH} deep."
    elif isinstance(inner, dict):
        yield from rule_faults(name, inner, path)
    elif isinstance(inner, list):
        for number, each in enumerate(inner):
            yield from below(name, each, (*path, number))


def binding_faults(concept: Any, binding: tuple[str, frozenset[str]], path: Way) -> Iterator[Fault]:
    """The fault of a concept without a code from its value set."""
    system, codes = binding
    codings = concept.get("coding") if isinstance(concept, dict) else None
    objects = [
        each for each in (codings if isinstance(codings, list) else ()) if isinstance(each, dict)
    ]
    if not any(each.get("system") == system and str(each.get("code")) in codes for each in objects):
        yield path, f"A coding must be of {system}: {', '.join(sorted(codes))}."


def alternatives(group: tuple[str, ...]) -> str:
    """The names of a group without the forms that have extensions only."""
    return " or ".join(name for name in group if not name.startswith("_"))
