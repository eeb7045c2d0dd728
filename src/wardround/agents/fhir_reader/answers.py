"""Answers computed from a patient or from events: an element, a number, a time, or names."""

import re
from collections.abc import Callable, Sequence
from datetime import date
from statistics import fmean
from typing import Any

from wardround.agents.fhir_reader.channel import Answer, Resource
from wardround.agents.fhir_reader.elements import code_of, names_of, time_of, time_text, value_of
from wardround.agents.fhir_reader.question import Question

_STATISTICS: dict[str, Callable[[Sequence[Any]], float]] = {
    "mean": fmean,
    "highest": max,
    "lowest": min,
}


def person_answer(question: Question, patient: Resource) -> Answer:
    """An element of the patient, or the age."""
    if question.subject == "identifier":
        values = [each.get("value") for each in patient.get("identifier", ())]
        return tuple(values[:1]) or (patient["id"],)
    if question.subject == "telecom":
        return tuple(each["value"] for each in patient.get("telecom", ())[:1])
    if question.subject == "age":
        return _age(question, patient)
    value = patient.get(question.subject)
    sexes = set(re.findall(r"\b(?:fe)?male\b", question.text.lower()))
    if question.subject == "gender" and value and len(sexes) == 1:
        return _yes_or_no(question, value in sexes)
    return (value,) if value else question.absent


def _age(question: Question, patient: Resource) -> Answer:
    if question.now is None or "birthDate" not in patient:
        return question.absent
    born, now = date.fromisoformat(patient["birthDate"]), question.now.date()
    return (now.year - born.year - ((now.month, now.day) < (born.month, born.day)),)


def event_answer(question: Question, events: Sequence[Resource]) -> Answer:
    """The value, time, number, or names of events."""
    operation = question.operations[0]
    events = sorted(_in_window(question, events), key=time_of)
    if operation == "count":
        return (len(events),)
    if operation == "any":
        return _yes_or_no(question, bool(events))
    if not events:
        return question.absent
    if operation == "time" or (operation == "first" and "time" in question.operations):
        return _timed(question, events)
    if question.subject == "Observation":
        return _measured(question, events)
    if question.subject == "Condition" and "code" in question.text.lower():
        return tuple(map(code_of, events))
    return tuple(name for each in events if (name := next(names_of(each), "")))


def _yes_or_no(question: Question, is_so: bool) -> Answer:
    """Words where the question has them, else 1 or 0."""
    if re.search(r"\byes\b", question.whole, re.IGNORECASE):
        return ("yes" if is_so else "no",)
    return (int(is_so),)


def _in_window(question: Question, events: Sequence[Resource]) -> list[Resource]:
    if question.window is None or question.now is None:
        return list(events)
    start = question.now - question.window
    return [each for each in events if start <= time_of(each) <= question.now]


def _timed(question: Question, events: Sequence[Resource]) -> Answer:
    """The time of the first or last event, after its value if that is asked for as well."""
    event = events[0] if "first" in question.operations else events[-1]
    value = value_of(event)
    asks_value = not question.text.lower().lstrip().startswith(("when", "at what", "what time"))
    if asks_value and value is not None:
        return (value, time_text(event))
    return (time_text(event),)


def _measured(question: Question, events: Sequence[Resource]) -> Answer:
    values = [value for event in events if (value := value_of(event)) is not None]
    numbers = [value for value in values if not isinstance(value, str)]
    if numbers and question.operations[0] in _STATISTICS:
        return (_STATISTICS[question.operations[0]](numbers),)
    if values and question.operations[0] in ("first", "last", "list"):
        return (values[0 if question.operations[0] == "first" else -1],)
    return question.absent
