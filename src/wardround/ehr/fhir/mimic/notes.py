"""Discharge summaries and radiology reports in MIMIC-IV-Note's form.

The tables `discharge` and `radiology` have note_id, subject_id, hadm_id, note_type, note_seq,
charttime, storetime and text. Sections of a discharge summary become care plans and allergies.
MIMIC-IV on FHIR has no notes; ids and form are of this project.
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime, time
from typing import Any

from wardround.core.packaged_data import read_rows
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.elements import (
    HL7,
    IDENTIFIER,
    LOINC,
    SNOMED,
    Element,
    category,
    concept,
    element,
    text,
)
from wardround.ehr.fhir.mimic.kinds import (
    ALLERGY,
    CARE_PLAN,
    ENCOUNTER,
    NOTE,
    PATIENT,
    RADIOLOGY_REPORT,
)
from wardround.ehr.fhir.mimic.zone import Zone

_TYPES = {
    "discharge": ("18842-5", "Discharge summary"),
    "radiology": ("18748-4", "Diagnostic imaging study"),
}
_NOTE_CATEGORY = "http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category"
_CARE_PLANS = dict(read_rows(__package__, "discharge_headings.tsv"))
_HEADING = re.compile(rf"^[ \t]*({'|'.join(map(re.escape, _CARE_PLANS))}):", re.MULTILINE)
_REPORT_HEADING = re.compile(r"^[ \t]*([A-Z][A-Z ]+):", re.MULTILINE)
_SUBSTANCES = re.compile(r"\s+/\s+|\s*[,;\n]\s*")
_NONE = "No known allergies"
_NO_ALLERGIES = re.compile(r"no known (drug )?allergies|\bnkd?a\b", re.IGNORECASE)

# A summary has the date of its day only; it is known at discharge on that day, or at its end.
_SUMMARIES = """
SELECT note_id, note.subject_id, hadm_id, 'discharge' AS kind, charttime, dischtime, text
FROM discharge note LEFT JOIN admissions USING (hadm_id)
"""
_REPORTS = """
SELECT note_id, subject_id, hadm_id, 'radiology' AS kind, charttime, NULL AS dischtime, text
FROM radiology
"""
_ALLERGIES = r"""
WITH listed AS (
    SELECT di.subject_id, hadm_id, charttime, dischtime,
        regexp_extract(text, '(?ms)^\s*Allergies:\s*(.*?)\s*^\s*Attending:', 1) AS allergies
    FROM discharge di LEFT JOIN admissions USING (hadm_id)
)
SELECT subject_id, list({
    hadm_id: hadm_id, charttime: charttime, dischtime: dischtime, allergies: allergies
} ORDER BY charttime, hadm_id) AS notes
FROM listed WHERE allergies != '' GROUP BY subject_id ORDER BY subject_id
"""


def known_at(charttime: datetime, dischtime: datetime | None) -> datetime:
    """The time at which a note is known: its own, or the end of the day or stay if it is a day.

    >>> day = datetime(2180, 5, 7)
    >>> known_at(day, datetime(2180, 5, 7, 17, 15)).time(), known_at(day, None).time()
    (datetime.time(17, 15), datetime.time(23, 59, 59))
    """
    if charttime.time() != time():
        return charttime
    if dischtime and dischtime.date() == charttime.date():
        return dischtime
    return datetime.combine(charttime, time(23, 59, 59))


def sections(note: str) -> dict[str, str]:
    r"""The sections of a discharge summary by heading.

    >>> sections("Allergies: \nPenicillins\n \nFollowup Instructions:\n___")
    {'Allergies': 'Penicillins', 'Followup Instructions': '___'}
    """
    _, *parts = _HEADING.split(note)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return {heading: body.strip() for heading, body in pairs if body.strip()}


def _note(row: Any, zone: Zone) -> Resource:
    code, display = _TYPES[row.kind]
    encounter = ENCOUNTER.reference(row.hadm_id)
    return NOTE.resource(
        row.note_id,
        identifier=_identifier(row.note_id),
        status="current",
        type=concept(LOINC, code, display),
        category=category(_NOTE_CATEGORY, "clinical-note", "Clinical Note"),
        subject=PATIENT.reference(row.subject_id),
        date=zone.instant(known_at(row.charttime, row.dischtime)),
        description=display,
        content=[{"attachment": _attachment(row.text, display)}],
        context={"encounter": [encounter]} if encounter else None,
    )


def _report(row: Any, zone: Zone) -> Resource:
    parts = _report_sections(row.text)
    code = concept(LOINC, *_TYPES["radiology"]) or {}
    name = parts.get("EXAMINATION") or parts.get("EXAM")
    return RADIOLOGY_REPORT.resource(
        row.note_id,
        identifier=_identifier(row.note_id),
        status="final",
        category=category(HL7 + "v2-0074", "RAD", "Radiology"),
        code={**code, "text": " ".join(name.split())} if name else code,
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        effectiveDateTime=zone.instant(row.charttime),
        conclusion=parts.get("IMPRESSION"),
        presentedForm=[_attachment(row.text, name)],
    )


def _report_sections(report: str) -> dict[str, str]:
    _, *parts = _REPORT_HEADING.split(report)
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


def _identifier(note_id: str) -> list[Element]:
    return [{"system": IDENTIFIER + "note", "value": note_id}]


def _attachment(note: str, title: str | None) -> Element:
    data = b64encode(note.encode()).decode()
    return element(contentType="text/plain; charset=utf-8", data=data, title=text(title)) or {}


def _planning_sections(row: Any) -> Iterator[tuple[Any, str, str]]:
    """A summary's row with the heading and text of each section that is a care plan."""
    for heading, body in sections(row.text).items():
        if _CARE_PLANS[heading] != "-":
            yield row, heading, body


def _care_plan(part: tuple[Any, str, str], zone: Zone) -> Resource:
    row, heading, body = part
    kind = _CARE_PLANS[heading]
    return CARE_PLAN.resource(
        f"{row.note_id}-{heading}",
        status="completed",
        intent="plan",
        category=[{"coding": [{"code": kind}], "text": kind}],
        title=heading,
        description=body,
        subject=PATIENT.reference(row.subject_id),
        encounter=ENCOUNTER.reference(row.hadm_id),
        created=zone.instant(known_at(row.charttime, row.dischtime)),
        supportingInfo=[NOTE.reference(row.note_id)],
    )


def _substances(row: Any) -> Iterator[tuple[int, dict[str, Any], str]]:
    """A patient with each substance and the first note that lists it."""
    first = dict[str, tuple[int, dict[str, Any], str]]()
    for note in row.notes:
        for substance in map(str.strip, _substance_names(note["allergies"])):
            first.setdefault(substance.casefold(), (row.subject_id, note, substance))
    none = first.pop(_NONE.casefold(), None)
    first.pop("", None)
    yield from first.values() or filter(None, [none])


def _substance_names(listed: str) -> list[str]:
    return [_NONE] if _NO_ALLERGIES.search(listed) else _SUBSTANCES.split(listed)


def _allergy(part: tuple[int, dict[str, Any], str], zone: Zone) -> Resource:
    subject_id, note, substance = part
    none = concept(SNOMED, "716186003", "No known allergy")
    return ALLERGY.resource(
        f"{subject_id}-{substance.casefold()}",
        clinicalStatus=concept(HL7 + "allergyintolerance-clinical", "active"),
        verificationStatus=concept(HL7 + "allergyintolerance-verification", "confirmed"),
        code={**(none or {}), "text": substance} if substance == _NONE else {"text": substance},
        patient=PATIENT.reference(subject_id),
        encounter=ENCOUNTER.reference(note["hadm_id"]),
        recordedDate=zone.instant(known_at(note["charttime"], note["dischtime"])),
    )


NOTES = (
    Conversion("DocumentReference", ("discharge",), _SUMMARIES, _note),
    Conversion("DocumentReference", ("radiology",), _REPORTS, _note),
    Conversion("DiagnosticReportRadiology", ("radiology",), _REPORTS, _report),
    Conversion("CarePlan", ("discharge",), _SUMMARIES, _care_plan, _planning_sections),
    Conversion("AllergyIntolerance", ("discharge",), _ALLERGIES, _allergy, _substances),
)
