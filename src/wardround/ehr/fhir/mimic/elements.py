"""Elements of FHIR resources, made of MIMIC-IV's values; without a value they are None."""

from typing import Any, TypeAlias

from wardround.ehr.fhir.mimic.zone import Zone

Element: TypeAlias = dict[str, Any]

MIMIC = "http://mimic.mit.edu/fhir/mimic/"
CODES = MIMIC + "CodeSystem/mimic-"
LAB_ITEMS = CODES + "d-labitems"
CHART_ITEMS = CODES + "chartevents-d-items"
ITEMS = CODES + "d-items"
IDENTIFIER = MIMIC + "identifier/"
HL7 = "http://terminology.hl7.org/CodeSystem/"
LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
UCUM = "http://unitsofmeasure.org"


def element(**parts: Any) -> Element | None:
    """An element of the parts that have a value."""
    return {name: part for name, part in parts.items() if part is not None} or None


def coding(system: str, code: str, display: str | None = None) -> Element:
    """A code of a system."""
    if display is None:
        return {"system": system, "code": code}
    return {"system": system, "code": code, "display": display}


def concept(system: str, code: object, display: str | None = None) -> Element | None:
    """A concept with one code, its white space normalised as FHIR demands."""
    words = "" if code is None else " ".join(str(code).split())
    return {"coding": [coding(system, words, text(display))]} if words else None


def category(system: str, code: str | None, display: str | None = None) -> list[Element] | None:
    """A list of one concept."""
    found = concept(system, code, display)
    return [found] if found else None


def text(value: str | None) -> str | None:
    """A text that is not blank."""
    return value if value and not value.isspace() else None


def number(value: float | str | None) -> float | None:
    """A number; a whole one without a fraction.

    >>> number(30.0), number("0.5"), number(None)
    (30, 0.5, None)
    """
    if value is None:
        return None
    exact = float(value)
    return int(exact) if exact.is_integer() else exact


def quantity(
    value: float | str | None, unit: str | None, system: str = CODES + "units", **more: Any
) -> Element | None:
    """An amount in a unit of MIMIC-IV or another system."""
    if value is None:
        return None
    name = text(unit)
    unit = name and " ".join(name.split())
    return element(value=number(value), unit=unit, system=system, code=unit, **more)


def period(start: Any, end: Any, zone: Zone) -> Element | None:
    """A span of local times."""
    return element(start=zone.instant(start), end=zone.instant(end))


def identifier(name: str, value: object, **more: Any) -> list[Element]:
    """A list with an identifier of MIMIC-IV."""
    return [{"system": IDENTIFIER + name, "value": str(value), **more}]
