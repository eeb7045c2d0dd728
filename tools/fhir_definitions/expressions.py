"""Compiles the FHIRPath expressions of search parameters to plain paths.

`Observation.value as Quantity` becomes `valueQuantity:Quantity`; a path ends with the type of
its values, and the type with the only target that counts or the system that is implied.
"""

import re
from collections.abc import Iterator

from tools.fhir_definitions.elements import Element, Elements, stem

# Types whose values a kind of search parameter can look at.
TYPES_OF_KIND = {
    "token": {"Coding", "CodeableConcept", "Identifier", "ContactPoint", "code", "boolean",
              "string", "id", "uri"},
    "string": {"string", "markdown", "HumanName", "Address"},
    "date": {"date", "dateTime", "instant", "Period", "Timing"},
    "quantity": {"Quantity", "Age", "Duration", "Range", "SampledData", "Money"},
    "reference": {"Reference", "canonical"},
    "number": {"integer", "decimal", "positiveInt", "unsignedInt"},
    "uri": {"uri", "url", "canonical", "oid", "uuid"},
}  # fmt: skip

CAST = re.compile(r"\(?(?P<path>[\w.]+?)(?: as |\.as\()(?P<type>\w+)\)(?P<rest>(?:\.\w+)*)")
TARGET = re.compile(r"(?P<path>[\w.]+)\.where\(resolve\(\) is (?P<target>\w+)\)")
EQUALS = re.compile(r"(?P<path>[\w.]+)\.where\((?P<name>\w+)='(?P<value>\w+)'\)")
TRUTH = re.compile(r"(?P<path>[\w.]+)\.exists\(\) and (?P=path) != false")
PLAIN = re.compile(r"[\w.]+")


class NotCompiledError(Exception):
    """An expression, or one type of its values, that plain paths cannot express."""


def branches(expression: str, base: str) -> Iterator[str]:
    """The alternatives of a union that begin at a resource type."""
    for branch in expression.split(" | "):
        if re.match(rf"\(?{base}\b", branch.strip()):
            yield branch.strip()


def compiled(expression: str, kind: str, elements: Elements) -> Iterator[str | NotCompiledError]:
    """The paths for an expression without unions, and the faults of types that do not fit."""
    if match := TRUTH.fullmatch(expression):
        names = [text for text, _ in walk(match["path"], elements)]
        yield "+".join(names) + ":truth"
    elif match := TARGET.fullmatch(expression):
        for text, _ in walk(match["path"], elements):
            yield f"{text}:Reference({match['target']})"
    elif match := EQUALS.fullmatch(expression):
        for text, element in walk(match["path"], elements):
            yield f"{text}[{match['name']}={match['value']}]:{element.type}"
    elif match := CAST.fullmatch(expression):
        yield from cast(match, kind, elements)
    elif PLAIN.fullmatch(expression):
        yield from typed(expression, walk(expression, elements), kind, elements)
    else:
        yield NotCompiledError(f"{expression} is not of a form that is compiled")


def cast(match: re.Match[str], kind: str, elements: Elements) -> Iterator[str | NotCompiledError]:
    """The paths for `path as Type`, and for elements of that type."""
    whole = f"{match['path']}{match['type'][0].upper()}{match['type'][1:]}{match['rest']}"
    yield from typed(match[0], walk(whole, elements), kind, elements)


def typed(
    expression: str, reached: list[tuple[str, Element]], kind: str, elements: Elements
) -> Iterator[str | NotCompiledError]:
    """Paths with their type, where the kind of parameter has a use for the type."""
    if not reached:
        yield NotCompiledError(f"{expression} leads to no element")
    for text, element in reached:
        if element.type in TYPES_OF_KIND[kind]:
            yield f"{text}:{element.type}{implied(element, elements)}"
        else:
            yield NotCompiledError(
                f"{expression}: {kind} parameters have no use for {element.type}"
            )


def implied(element: Element, elements: Elements) -> str:
    """The system of a code, in brackets, if its binding leaves no choice."""
    systems = (
        list(elements.value_sets.required(element.definition) or ())
        if element.type == "code"
        else []
    )
    return f"({systems[0]})" if len(systems) == 1 else ""


def walk(path: str, elements: Elements) -> list[tuple[str, Element]]:
    """The JSON paths, and last elements, that a path of names leads to."""
    base, *names = path.split(".")
    reached = [("", base, Element(base, base, {}))]
    for name in names:
        reached = [
            (f"{text}.{element.name}".lstrip("."), elements.inner(place, element), element)
            for text, place, _ in reached
            for element in elements.children(place)
            if name in (element.name, stem(element))
        ]
    return [(text, element) for text, _, element in reached]
