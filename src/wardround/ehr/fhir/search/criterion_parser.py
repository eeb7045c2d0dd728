"""Reads criteria of a search: names with modifiers, chains and `_has`, and their values."""

import re
from dataclasses import replace
from datetime import tzinfo
from typing import cast

from wardround.ehr.fhir.definitions import Kind, SearchParameter, parameter, resource_types
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.query import (
    AnyOf,
    Chain,
    Comparator,
    Criterion,
    Match,
    Not,
    Present,
    ReferenceValue,
    ReverseChain,
    SearchValue,
    TokenValue,
)
from wardround.ehr.fhir.search.values import parse_value, split_value

# Modifiers beside `:missing`, which all kinds have, and a type's name, which references have.
MODIFIERS = {
    "token": ("not", "text", "below"),
    "string": ("exact", "contains"),
    "reference": ("identifier",),
}
# A modifier reads the value as another kind.
READ_AS: dict[str, Kind] = {"text": "string", "identifier": "token"}
LONGEST_CHAIN = 2
MOST_VALUES = 500
ICD = re.compile(r"icd-?(9|10)", re.IGNORECASE)


class UnknownParameterError(FhirError):
    """A parameter that the type does not have; a lenient search ignores it."""


def parse_criterion(resource_type: str, name: str, text: str, zone: tzinfo) -> Criterion:
    """A criterion of a search, such as `subject:Patient.name:exact=Smith`.

    Args:
        resource_type: the type that is searched.
        name: the parameter with modifiers, or a chain.
        text: the values.
        zone: the zone of dates without an offset.

    Raises:
        FhirError: it is unknown, not supported, or has no such value.
    """
    if name.startswith("_has:"):
        return reverse_chain(resource_type, name, text, zone)
    return linked(resource_type, name, text, zone, LONGEST_CHAIN)


def linked(resource_type: str, name: str, text: str, zone: tzinfo, links: int) -> Criterion:
    """A criterion that may begin with a reference to follow."""
    head, dot, rest = name.partition(".")
    base, _, modifier = head.partition(":")
    searched = known_parameter(resource_type, base)
    if not dot:
        return plain(searched, modifier, text, zone)
    if not links:
        raise unsupported(f"A chain follows at most {LONGEST_CHAIN} references.")
    targets = chain_targets(searched, modifier)
    first = rest.partition(".")[0].partition(":")[0]
    having = [target for target in targets if parameter(target, first)]
    if not having:
        raise unsupported(f"{name} leads to no resource here with the parameter {first}.")
    branches = [(target, linked(target, rest, text, zone, links - 1)) for target in having]
    return Chain(searched, tuple(branches))


def chain_targets(searched: SearchParameter, modifier: str) -> tuple[str, ...]:
    """The types that a chain's reference may lead to."""
    if searched.kind != "reference":
        raise unsupported(f"{searched.name} is not a reference, so no chain can follow it.")
    if modifier and modifier not in searched.targets:
        raise unsupported(f"{searched.name} leads to no {modifier}.")
    targets = (modifier,) if modifier else searched.targets
    return tuple(each for each in targets if each in resource_types())


def reverse_chain(resource_type: str, name: str, text: str, zone: tzinfo) -> ReverseChain:
    """A criterion such as `_has:Observation:patient:code`."""
    parts = name.split(":", 3)
    if len(parts) < 4 or parts[3].startswith("_has") or "." in parts[3]:
        raise unsupported(f"{name} must have the form _has:Type:reference:parameter.")
    if parts[1] not in resource_types():
        raise unsupported(f"This record holds no {parts[1]}, which {name} asks for.")
    reference = known_parameter(parts[1], parts[2])
    if resource_type not in reference.targets:
        raise unsupported(f"{parts[2]} of {parts[1]} leads to no {resource_type}.")
    inner, _, modifier = parts[3].partition(":")
    criterion = plain(known_parameter(parts[1], inner), modifier, text, zone)
    return ReverseChain(reference, resource_type, criterion)


def plain(searched: SearchParameter, modifier: str, text: str, zone: tzinfo) -> Criterion:
    """A criterion on a resource's own values."""
    if not is_searchable(searched):
        raise unsupported(f"The composite {searched.name} is not supported.")
    if modifier == "missing":
        return missing(searched, text)
    target = modifier if modifier in searched.targets else ""
    if modifier and not target and modifier not in modifiers(searched):
        raise unsupported(f"{searched.name} does not support the modifier :{modifier}.")
    comparator = cast("Comparator", "" if target or modifier == "not" else modifier)
    match = compared(searched, comparator, text, zone, target)
    if modifier == "text":
        return drug_name(match)
    return Not(match) if modifier == "not" else match


def compared(
    searched: SearchParameter, comparator: Comparator, text: str, zone: tzinfo, target: str = ""
) -> Match:
    """A parameter with the values in a text, compared in a certain way."""
    kind = READ_AS.get(comparator, searched.kind)
    parts = split_value(text, ",")
    if len(parts) > MOST_VALUES:
        raise FhirError(400, "too-costly", f"{searched.name} takes at most {MOST_VALUES} values.")
    values = [parse_value(kind, part, zone) for part in parts]
    if comparator == "below":
        values = [icd_category(value) for value in values]
    return Match(searched, tuple(typed(value, target) for value in values), comparator)


def is_searchable(searched: SearchParameter) -> bool:
    """True for parameters that the index has: of composites those of a code and an amount."""
    return searched.kind != "composite" or searched.components == ("token", "quantity")


def drug_name(match: Match) -> Criterion:
    """A text that a resource has, or the medication that it refers to, or an ingredient of it."""
    medication = parameter(match.parameter.type, "medication")
    if match.parameter.name != "code" or not medication or "Medication" not in medication.targets:
        return match
    names = tuple(
        replace(match, parameter=known_parameter("Medication", name))
        for name in ("code", "identifier")
    )
    ingredient = known_parameter("Medication", "ingredient")
    mixture = Chain(ingredient, (("Medication", AnyOf(names)),))
    return AnyOf((match, Chain(medication, (("Medication", AnyOf((*names, mixture))),))))


def icd_category(value: SearchValue) -> SearchValue:
    """A token of which codes of the International Classification of Diseases may be a part."""
    if isinstance(value, TokenValue) and value.code and ICD.search(value.system or "icd-10"):
        return value
    raise unsupported("The modifier :below takes the beginning of an ICD code, such as I50.")


def missing(searched: SearchParameter, text: str) -> Criterion:
    """A criterion `:missing`."""
    if text not in ("true", "false"):
        raise FhirError(400, "value", f"{searched.name}:missing is true or false, not {text}.")
    present = Present(searched)
    return Not(present) if text == "true" else present


def modifiers(searched: SearchParameter) -> tuple[str, ...]:
    """The modifiers that a parameter supports, beside `:missing` and types."""
    return ("not",) if searched.name == "_id" else MODIFIERS.get(searched.kind, ())


def typed(value: SearchValue, target: str) -> SearchValue:
    """A value of a reference whose type is given as a modifier."""
    if not target or not isinstance(value, ReferenceValue):
        return value
    if value.url or value.type not in ("", target):
        raise FhirError(400, "value", f"The modifier :{target} needs an id alone.")
    return replace(value, type=target)


def known_parameter(resource_type: str, name: str) -> SearchParameter:
    """The parameter of a type with a name; `_id` and `_lastUpdated` belong to every type."""
    if known := parameter(resource_type, name):
        return known if known.type == resource_type else replace(known, type=resource_type)
    raise UnknownParameterError(
        400,
        "not-supported",
        f"{resource_type} has no search parameter {name}; metadata lists those it has.",
    )


def unsupported(diagnostics: str) -> FhirError:
    """A fault for something of R4 that this record does not do."""
    return FhirError(400, "not-supported", diagnostics)
