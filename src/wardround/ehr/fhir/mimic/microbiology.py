"""Cultures: specimens, tests, organisms, susceptibilities, and their reports."""

from collections.abc import Iterable
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    CODES,
    HL7,
    MIMIC,
    Element,
    category,
    concept,
    element,
    identifier,
    number,
    text,
)
from wardround.ehr.fhir.mimic.kinds import (
    CULTURE,
    CULTURE_REPORT,
    ENCOUNTER,
    ORGANISM,
    PATIENT,
    SPECIMEN,
    SUSCEPTIBILITY,
    Kind,
)
from wardround.ehr.fhir.mimic.zone import Zone

_DILUTION = MIMIC + "StructureDefinition/dilution-details"
_COMPARATORS = {"<=": "<=", "=>": ">=", ">=": ">=", "<": "<", ">": ">"}
_INTERPRETATIONS = {
    "S": ("S", "Susceptible"),
    "R": ("R", "Resistant"),
    "I": ("IND", "Indeterminate"),
}
_MASKED = "___"

_SPECIMENS = """
SELECT micro_specimen_id, min(subject_id) AS subject_id, min(charttime) AS charttime,
    min(spec_itemid) AS spec_itemid, min(spec_type_desc) AS spec_type_desc
FROM microbiologyevents WHERE micro_specimen_id IS NOT NULL
GROUP BY micro_specimen_id ORDER BY micro_specimen_id
"""
_TESTS = """
SELECT micro_specimen_id, test_itemid, min(subject_id) AS subject_id, min(hadm_id) AS hadm_id,
    min(test_name) AS test_name, min(spec_type_desc) AS spec_type_desc,
    coalesce(min(charttime), min(chartdate)) AS drawn,
    coalesce(max(storetime), max(storedate)) AS stored,
    min(comments) FILTER (org_itemid IS NULL) AS comments,
    list(org_itemid ORDER BY place) FILTER (org_itemid IS NOT NULL) AS organisms,
    list(org_name ORDER BY place) FILTER (org_itemid IS NOT NULL) AS names
FROM culture_event GROUP BY micro_specimen_id, test_itemid
ORDER BY micro_specimen_id, test_itemid
"""
_ORGANISMS = """
SELECT micro_specimen_id, test_itemid, org_itemid, min(org_name) AS org_name,
    min(subject_id) AS subject_id, coalesce(min(charttime), min(chartdate)) AS drawn,
    min(comments) AS comments,
    list(microevent_id ORDER BY place) FILTER (ab_itemid IS NOT NULL) AS members
FROM culture_event WHERE org_itemid IS NOT NULL
GROUP BY micro_specimen_id, test_itemid, org_itemid
ORDER BY micro_specimen_id, test_itemid, org_itemid
"""
_SUSCEPTIBILITIES = """
SELECT microevent_id, micro_specimen_id, test_itemid, org_itemid, subject_id, ab_itemid, ab_name,
    dilution_comparison, dilution_value, interpretation, comments,
    coalesce(storetime, storedate, charttime, chartdate) AS stored
FROM microbiologyevents WHERE ab_itemid IS NOT NULL
"""


def _specimen(row: Any, zone: Zone) -> Resource:
    return SPECIMEN.resource(
        row.micro_specimen_id,
        identifier=identifier("specimen-micro", row.micro_specimen_id),
        type=concept(CODES + "spec-type-desc", row.spec_itemid, row.spec_type_desc),
        subject=PATIENT.reference(row.subject_id),
        collection=element(collectedDateTime=zone.instant(row.charttime)),
    )


def _test(row: Any, zone: Zone) -> Resource:
    members = _members(ORGANISM, (_organism_key(row, each) for each in row.organisms or ()))
    return CULTURE.resource(
        _test_key(row),
        **_result("microbiology-test", row.test_itemid, row.test_name, row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        effectiveDateTime=zone.instant(row.drawn),
        specimen=SPECIMEN.reference(row.micro_specimen_id),
        hasMember=members,
        **({} if members else _finding(row.comments)),
    )


def _members(kind: Kind, keys: Iterable[object]) -> list[Element] | None:
    """References to the observations with these keys, each once."""
    return [kind.reference(key) or {} for key in dict.fromkeys(keys)] or None


def _finding(comments: str | None) -> Element:
    if comments == _MASKED:
        return {"valueCodeableConcept": concept(HL7 + "v3-NullFlavor", "MSK", "masked")}
    return {"valueString": text(comments)}


def _organism(row: Any, zone: Zone) -> Resource:
    members = _members(SUSCEPTIBILITY, row.members or ())
    without = text(row.comments) or "No susceptibility data present"
    return ORGANISM.resource(
        _organism_key(row, row.org_itemid),
        **_result("microbiology-organism", row.org_itemid, row.org_name, row.subject_id),
        effectiveDateTime=zone.instant(row.drawn),
        hasMember=members,
        valueString=None if members else without,
        derivedFrom=[CULTURE.reference(_test_key(row))],
    )


def _susceptibility(row: Any, zone: Zone) -> Resource:
    comments = text(row.comments)
    code, display = _INTERPRETATIONS.get(row.interpretation, (row.interpretation, None))
    return SUSCEPTIBILITY.resource(
        row.microevent_id,
        extension=_dilution(row.dilution_comparison, row.dilution_value),
        identifier=identifier("observation-micro-susc", row.microevent_id),
        **_result("microbiology-antibiotic", row.ab_itemid, row.ab_name, row.subject_id),
        effectiveDateTime=zone.instant(row.stored),
        valueCodeableConcept=concept(HL7 + "v3-ObservationInterpretation", code, display),
        note=[{"text": comments}] if comments else None,
        derivedFrom=[ORGANISM.reference(_organism_key(row, row.org_itemid))],
    )


def _dilution(comparison: str | None, value: float | None) -> list[Element] | None:
    if value is None:
        return None
    comparator = _COMPARATORS.get((comparison or "").strip())
    return [
        {"url": _DILUTION, "valueQuantity": element(value=number(value), comparator=comparator)}
    ]


def _report(row: Any, zone: Zone) -> Resource:
    """The report of a test, known when its result was stored."""
    finding = ", ".join(dict.fromkeys(row.names or ())) or text(row.comments)
    return CULTURE_REPORT.resource(
        _test_key(row),
        status="final",
        category=category(HL7 + "v2-0074", "MB", "Microbiology"),
        code=_named(concept(CODES + "microbiology-test", row.test_itemid, row.test_name), row),
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        effectiveDateTime=zone.instant(row.drawn),
        issued=zone.instant(row.stored),
        specimen=[SPECIMEN.reference(row.micro_specimen_id)],
        result=[CULTURE.reference(_test_key(row))],
        conclusion=finding,
    )


def _named(code: Element | None, row: Any) -> Element:
    specimen, test = text(row.spec_type_desc), text(row.test_name)
    return {**(code or {}), "text": ": ".join(each for each in (specimen, test) if each)}


def _result(system: str, code: int, name: str | None, subject_id: int) -> Element:
    return {
        "status": "final",
        "category": category(HL7 + "observation-category", "laboratory", "Laboratory"),
        "code": concept(CODES + system, code, name),
        "subject": PATIENT.reference(subject_id),
    }


def _test_key(row: Any) -> str:
    return f"{row.micro_specimen_id}-{row.test_itemid}"


def _organism_key(row: Any, organism: int) -> str:
    return f"{row.test_itemid}-{row.micro_specimen_id}-{organism}"


_NEEDED = ("microbiologyevents",)
MICROBIOLOGY = (
    Conversion("Specimen", _NEEDED, _SPECIMENS, _specimen),
    Conversion("ObservationMicroTest", _NEEDED, _TESTS, _test),
    Conversion("ObservationMicroOrg", _NEEDED, _ORGANISMS, _organism),
    Conversion("ObservationMicroSusc", _NEEDED, _SUSCEPTIBILITIES, _susceptibility),
    Conversion("DiagnosticReportMicro", _NEEDED, _TESTS, _report),
)
