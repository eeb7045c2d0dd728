"""Orders that a question asks for, written only where every part is given."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.names import DOSE_UNITS, FLAG_CATEGORIES, find_terms
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Medication
from wardround.agents.clerk.session import Session
from wardround.core.actions import Call
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import duration, quantities

_ROLES: Mapping[Intent, str] = {
    "medicate": "order_medication",
    "request": "order_service",
    "flag": "write_flag",
}
_REQUIRED: Mapping[Intent, tuple[str, ...]] = {
    "medicate": ("medication", "dose", "route", "frequency"),
    "request": ("service_type", "priority"),
    "flag": ("category", "code", "detail"),
}
# One number before a unit; none of a range, and no comma that could be a decimal point.
_NUMBER = re.compile(
    r"(?<![\d.,])(?<!\d[-–~至到])(?<!\d to )(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*-?\s*$"
)
_MIXED = " / "  # between a drug and its carrier, which has its own amount
_ENDS = re.compile(r"\b(?:stop|discontinue|hold|cancel|withhold)\b|停|暂缓", re.IGNORECASE)
# The services that panels of tests are ordered as.
_PANELS = {
    "renal function": "basic metabolic panel",
    "electrolytes": "basic metabolic panel",
    "liver function": "liver function tests",
    "blood count": "complete blood count",
    "coagulation": "prothrombin time and inr",
}
_AT_ONCE = "now"
_FLAGGED = ("drug", "class", "diagnosis", "symptom", "pain", "test")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_TOMORROW = re.compile(r"\btomorrow\b|明天|次日", re.IGNORECASE)
_LATER = re.compile(r"\b(?:in|after|within)\s|后|之内|内", re.IGNORECASE)
_PURPOSE = re.compile(
    r"\b(?:for|because of|due to|to treat|given|indication|that|note|about|to)\b:?"
    r"|[:：;；—]|用于|因为|因|针对|适应症|适应证|备注|提示|说明",
    re.IGNORECASE,
)
_END = re.compile(r"[.。!！?？]+\s*$")


@dataclass(frozen=True, slots=True)
class Missing:
    """Parts of an order that are given nowhere."""

    parts: tuple[str, ...]


def read_order(question: Question, session: Session) -> Call | Missing:
    """The call that writes what a question asks for, or what it lacks.

    Args:
        question: the question, with the terms of earlier turns that it leans on.
        session: the session, whose orders may hold the parts that the question leaves out.
    """
    intent = question.intents[0]
    role = _ROLES[intent]
    if role not in session.tools:
        return Missing((f"tool_to_{role}",))
    if intent == "medicate" and _ENDS.search(question.text):
        return Missing(("tool_that_ends_orders",))
    match intent:
        case "medicate":
            parts = _medication(question, session)
        case "request":
            parts = _service(question, session)
        case _:
            parts = _flag(question)
    absent = tuple(name for name in _REQUIRED[intent] if not parts.get(name))
    if absent:
        return Missing(absent)
    return session.call(role, **{name: value for name, value in parts.items() if value})


def _medication(question: Question, session: Session) -> dict[str, str | int | None]:
    drugs = question.names("drug")
    if len(drugs) != 1:
        return {}
    given = _dosage(question.text)
    before = _dosage(_ordered(drugs[0], session))
    days = _days(question.text)
    return {
        "medication": drugs[0],
        **{name: given.get(name) or before.get(name) for name in ("dose", "route", "frequency")},
        "indication": _purpose(question),
        "duration_days": days,
    }


def _dosage(text: str) -> dict[str, str]:
    """The dose, route and frequency in a text.

    >>> _dosage("40 mg IV BID")
    {'dose': '40 mg', 'route': 'intravenous', 'frequency': 'twice daily'}
    """
    doses = dict.fromkeys(_doses(text))
    parts = {"dose": next(iter(doses))} if len(doses) == 1 else {}
    for kind in ("route", "frequency"):
        named = [term.name for term in find_terms(text) if term.kind == kind]
        parts |= {kind: named[0]} if named else {}
    return parts


def _doses(text: str) -> Iterator[str]:
    for unit in mentions(text, "unit"):
        number = _NUMBER.search(text[: unit.start])
        if number and unit.name in DOSE_UNITS:
            yield f"{number[1].replace(',', '')} {unit.name}"


def _ordered(drug: str, session: Session) -> str:
    """The dosage of the newest known order of a drug; empty without one."""
    orders = [each for each in session.entries(Medication) if each.kind == "MedicationRequest"]
    same = [each for each in orders if is_drug(each.name, drug) and _MIXED not in each.name]
    return max(same, key=lambda each: each.start).dosage if same else ""


def is_drug(name: str, drug: str) -> bool:
    """True if a name in the record is of a drug by its generic name.

    >>> is_drug("Metoprolol Tartrate", "metoprolol"), is_drug("Senna", "metoprolol")
    (True, False)
    """
    return any(mention.name == drug for mention in mentions(name, "drug"))


def _days(text: str) -> int | None:
    """The days of the first span of time that is not part of a frequency.

    >>> _days("一日三次，共5天"), _days("three times a day for two weeks"), _days("40 mg daily")
    (5, 14, None)
    """
    rest = text
    for term in reversed(find_terms(text)):
        if term.kind == "frequency":
            rest = f"{rest[: term.start]} {rest[term.end :]}"
    lengths = filter(None, map(duration, quantities(rest)))
    return next((length.days for length in lengths if length.days), None)


def _service(question: Question, session: Session) -> dict[str, str | int | None]:
    tests = [_PANELS.get(name, name) for name in question.names("test", "panel", "culture")]
    services = question.names("service", "scan") or tests
    priorities = question.names("priority")
    if not priorities and _AT_ONCE in question.names("frequency"):
        priorities = ("asap",)
    return {
        "service_type": services[0] if services else None,
        "priority": priorities[0] if len(priorities) == 1 else None,
        "note": _remark(question.text),
        "target_date": _day(question.text, session.today),
    }


def _day(text: str, today: date | None) -> str | None:
    """The day that a text names, or counts from today."""
    if match := _ISO.search(text):
        return match[0]
    if today is None:
        return None
    if _TOMORROW.search(text):
        return (today + timedelta(days=1)).isoformat()
    days = _days(text) if _LATER.search(text) else None
    return (today + timedelta(days=days)).isoformat() if days else None


def _flag(question: Question) -> dict[str, str | int | None]:
    categories = [name for name in question.names("category") if name in FLAG_CATEGORIES]
    about = [each for each in question.terms if each.kind in _FLAGGED]
    return {
        "category": categories[0] if categories else None,
        "code": " ".join(dict.fromkeys(each.name for each in about)),
        "detail": _remark(question.text) or _END.sub("", question.text) if about else None,
    }


def _purpose(question: Question) -> str | None:
    """The illness that an order is for: the first in the question."""
    return next(iter(question.names("diagnosis", "symptom", "pain")), None)


def _remark(text: str) -> str | None:
    """The words behind the first word of purpose, if there are some."""
    match = _PURPOSE.search(text)
    rest = _END.sub("", text[match.end() :]).strip(" ,，") if match else ""
    return rest if len(rest) > len("2150-01-01") else None
