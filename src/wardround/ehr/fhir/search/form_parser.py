"""Reads the parameters that form a result: `_sort`, `_count`, `_include` and their like."""

import re
from collections.abc import Iterable
from dataclasses import replace

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.criterion_parser import known_parameter, unsupported
from wardround.ehr.fhir.search.query import Form, Inclusion, SortKey

FORM_PARAMETERS = (
    "_sort", "_count", "_summary", "_total", "_totalMethod", "_elements", "_include",
    "_revinclude", "_format",
)  # fmt: skip
REPEATED = ("_include", "_revinclude", "_sort", "_elements", "_format")
JSON_FORMATS = ("json", "application/json", "application/fhir+json", "application/fhir json")
LARGEST_COUNT = 1_000
ELEMENT = re.compile(r"[a-z][A-Za-z]*")


def parse_form(resource_type: str, pairs: Iterable[tuple[str, str]]) -> Form:
    """The form that a search asks for.

    Args:
        resource_type: the type that is searched.
        pairs: names of `FORM_PARAMETERS` with their values.
    """
    form, seen = Form(), set[str]()
    for name, value in pairs:
        if name in seen and name not in REPEATED:
            raise FhirError(400, "value", f"{name} stands twice in the search; give it once.")
        seen.add(name)
        form = extended(form, resource_type, name, value)
    return form


def extended(form: Form, resource_type: str, name: str, value: str) -> Form:
    """A form with what another parameter asks for."""
    match name:
        case "_sort":
            return replace(form, sort=(*form.sort, *sort_keys(resource_type, value)))
        case "_count":
            count = whole_number(name, value)
            form = replace(form, only_total=form.only_total or count == 0)
            return replace(form, count=min(count, LARGEST_COUNT))
        case "_summary":
            count_only = chosen(name, value, ("count", "false")) == "count"
            return replace(form, only_total=form.only_total or count_only)
        case "_total":
            wanted = chosen(name, value, ("none", "estimate", "accurate"))
            return replace(form, total=wanted != "none")
        case "_totalMethod":  # of Aidbox; the client fhirpy sends it to count
            chosen(name, value, ("count", "estimate"))
            return replace(form, total=True)
        case "_elements":
            return replace(form, elements=(*form.elements, *elements(value)))
        case "_include":
            return replace(form, include=(*form.include, inclusion(resource_type, name, value)))
        case "_revinclude":
            return replace(
                form, revinclude=(*form.revinclude, inclusion(resource_type, name, value))
            )
        case _:
            return json_format(form, value)


def sort_keys(resource_type: str, value: str) -> list[SortKey]:
    """The sort keys in `_sort=-date,code`."""
    keys = []
    for part in value.split(","):
        searched = known_parameter(resource_type, part.removeprefix("-"))
        if searched.kind == "composite":
            raise unsupported(f"A search cannot be sorted by {searched.name}.")
        keys.append(SortKey(searched, part.startswith("-")))
    return keys


def inclusion(resource_type: str, name: str, value: str) -> Inclusion:
    """The inclusion in `Type:parameter` or `Type:parameter:Target`."""
    source, _, rest = value.partition(":")
    parameter_name, _, target = rest.partition(":")
    if source not in resource_types() or not parameter_name or parameter_name == "*":
        raise unsupported(f"{name}={value} must have the form Type:parameter or add :Target.")
    searched = known_parameter(source, parameter_name)
    if searched.kind != "reference" or (target and target not in searched.targets):
        raise unsupported(f"{parameter_name} in {name}={value} is no such reference.")
    if name == "_include" and source != resource_type:
        raise unsupported(f"{name}={value} must begin with {resource_type}, the type searched.")
    if name == "_revinclude" and resource_type not in searched.targets:
        raise unsupported(f"{parameter_name} in {name}={value} leads to no {resource_type}.")
    return Inclusion(searched, target)


def elements(value: str) -> list[str]:
    """The names in `_elements`."""
    names = value.split(",")
    for name in names:
        if not ELEMENT.fullmatch(name):
            raise FhirError(400, "value", f"_elements takes names of elements, not {name!r}.")
    return names


def whole_number(name: str, value: str) -> int:
    """A number of results."""
    if not (value.isascii() and value.isdigit()):
        raise FhirError(400, "value", f"{name} is a whole number from 0 up, not {value!r}.")
    return min(int(value[:9]), LARGEST_COUNT) if len(value) < 10 else LARGEST_COUNT


def chosen(name: str, value: str, supported: tuple[str, ...]) -> str:
    """A value of a parameter that has only a few."""
    if value not in supported:
        raise unsupported(f"{name}={value} is not supported; it is {' or '.join(supported)}.")
    return value


def json_format(form: Form, value: str) -> Form:
    """The form unchanged, if the format is JSON."""
    if value.partition(";")[0] not in JSON_FORMATS:
        raise FhirError(406, "not-supported", f"_format={value} is not supported; use json.")
    return form
