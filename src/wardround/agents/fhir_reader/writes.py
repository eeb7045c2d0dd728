"""Resources that an instruction spells out: a measured pressure, a referral, a test to repeat."""

import re
from collections.abc import Sequence

from wardround.agents.fhir_reader.channel import Resource
from wardround.agents.fhir_reader.elements import time_of
from wardround.agents.fhir_reader.question import Question, limit_of_age

_RECORD = re.compile(r"\b(?:record|document|chart|enter|note)\b", re.IGNORECASE)
_PRESSURE = re.compile(r"\b\d{2,3}/\d{2,3} ?mmHg\b", re.IGNORECASE)
_CODE_TEXT = re.compile(r'\bcode\b[^".]*"([^"]+)"', re.IGNORECASE)
_CATEGORY = re.compile(r'\bcategory is "?([a-z]+(?:-[a-z]+)*)')
_STATUS = re.compile(r'\bstatus (?:is )?"([a-z-]+)"')
_INTENT = re.compile(r'\bintent (?:is )?"([a-z-]+)"')
_PRIORITY = re.compile(r'\bpriority (?:is )?"([a-z]+)"')
_REFER = re.compile(r"\b(?:refer|referral|consult)\b", re.IGNORECASE)
_QUOTED = re.compile(r'(?<!\w)"(?=\w)([^"]* [^"]* [^"]+)"')
_SNOMED = re.compile(r"\bSNOMED code (\d{6,})")
_LOINC = re.compile(r"\bLOINC code [^.;]*?\b(\d{1,7}-\d)\b")
_ORDER = re.compile(r"\border (?:a new one|it again|a repeat|another)\b", re.IGNORECASE)
_NONE = re.compile(r"\bthere is none\b", re.IGNORECASE)
_NOW = re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)")
_CATEGORIES = "http://terminology.hl7.org/CodeSystem/observation-category"


def literal_write(text: str, patient: str) -> Resource | None:
    """The resource that an instruction spells out; None if a part is missing."""
    if _PRESSURE.search(text) and _RECORD.search(text):
        return _pressure(text, patient)
    return _referral(text, patient) if _REFER.search(text) else None


def due_test(question: Question, events: Sequence[Resource], patient: str) -> Resource | None:
    """The order of a test that is to be repeated if it is too old or missing; else None."""
    limit = limit_of_age(question.whole)
    if limit is None or question.now is None or not _ORDER.search(question.whole):
        return None
    newest = max(map(time_of, events), default=None)
    missing = newest is None and _NONE.search(question.whole)
    if missing or (newest is not None and newest < question.now - limit):
        parts = _parts(question.whole, (_LOINC, _STATUS, _INTENT, _PRIORITY, _NOW))
        return _order("http://loinc.org", parts, patient) if parts else None
    return None


def _pressure(text: str, patient: str) -> Resource | None:
    parts = _parts(text, (_PRESSURE, _CODE_TEXT, _CATEGORY, _STATUS, _NOW))
    if parts is None:
        return None
    value, code, category, status, now = parts
    return {
        "resourceType": "Observation",
        "status": status,
        "category": [{"coding": [{"system": _CATEGORIES, "code": category}]}],
        "code": {"text": code},
        "subject": {"reference": f"Patient/{patient}"},
        "effectiveDateTime": now,
        "valueString": value,
    }


def _referral(text: str, patient: str) -> Resource | None:
    parts = _parts(text, (_QUOTED, _SNOMED, _STATUS, _INTENT, _PRIORITY, _NOW))
    if parts is None:
        return None
    words, *order = parts
    # R4 has a list; an instruction may name the element otherwise.
    note = {"text": words} if "note.text" in text else [{"text": words}]
    return {**_order("http://snomed.info/sct", order, patient), "note": note}


def _order(system: str, parts: Sequence[str], patient: str) -> Resource:
    code, status, intent, priority, now = parts
    return {
        "resourceType": "ServiceRequest",
        "status": status,
        "intent": intent,
        "priority": priority,
        "code": {"coding": [{"system": system, "code": code}]},
        "subject": {"reference": f"Patient/{patient}"},
        "authoredOn": now,
    }


def _parts(text: str, patterns: tuple[re.Pattern[str], ...]) -> list[str] | None:
    matches = [pattern.search(text) for pattern in patterns]
    parts = [match[match.re.groups] for match in matches if match]
    return parts if len(parts) == len(patterns) else None
