"""Makes the table of rules that JSON Schema does not state: cardinalities and bindings."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from tools.fhir_definitions.elements import Element, Elements, stem

HEADER = ("type", "required", "choices", "children", "bindings")


class Rules(NamedTuple):
    """The rules for the elements of a type or of a part of one.

    Attributes:
        required: groups of which an element must be there.
        choices: groups of which at most one element may be there.
        children: elements with the type whose rules hold below them.
        bindings: elements with a system and its codes, of which a concept must have one.
    """

    type: str
    required: tuple[str, ...]
    choices: tuple[str, ...]
    children: tuple[str, ...]
    bindings: tuple[str, ...]


def rules(types: list[str], elements: Elements) -> Iterator[Rules]:
    """The rules for some types and for all types that they use."""
    seen, ahead = set[str](), list(types)
    while ahead:
        path = ahead.pop(0)
        if path in seen:
            continue
        seen.add(path)
        yield (found := type_rules(path, elements))
        ahead += [child.partition("=")[2] for child in found.children]


def type_rules(path: str, elements: Elements) -> Rules:
    """The rules for the elements directly below a path."""
    children = elements.children(path)
    groups = [list(group) for _, group in groupby(children, key=stem)]
    return Rules(
        path,
        tuple(names(group) for group in groups if group[0].definition["min"]),
        tuple("|".join(each.name for each in group) for group in groups if len(group) > 1),
        tuple(f"{each.name}={elements.inner(path, each)}" for each in children if complex_(each)),
        tuple(text for each in children for text in binding(each, elements)),
    )


def names(group: list[Element]) -> str:
    """The names of a group; a primitive may be there as `_name` with extensions only."""
    return "|".join(
        f"{each.name}|_{each.name}" if each.type[0].islower() else each.name for each in group
    )


def complex_(element: Element) -> bool:
    """True for elements with rules of their own below."""
    return element.type[0].isupper() and element.type != "Resource"


def binding(element: Element, elements: Elements) -> Iterator[str]:
    """The required binding of a concept."""
    if element.type == "CodeableConcept" and (
        expansion := elements.value_sets.required(element.definition)
    ):
        for system, codes in expansion.items():
            yield f"{element.name}={system}|{'|'.join(codes)}"
