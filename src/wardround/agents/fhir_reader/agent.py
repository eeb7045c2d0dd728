"""Reads an instruction, searches, computes the answer; abstains where it is unsure.

It writes what stands in the instruction: a measured pressure, a referral in quotes.
"""

import re
from collections.abc import Callable, Generator, Sequence
from datetime import date
from itertools import pairwise
from statistics import fmean
from typing import Any, TypeAlias

from wardround.agents.fhir_reader.channel import Answer, Channel, Resource, Search, resources_in
from wardround.agents.fhir_reader.elements import (
    code_of,
    length_named,
    names_of,
    time_of,
    time_text,
    value_of,
    with_drugs,
)
from wardround.agents.fhir_reader.question import (
    Question,
    limit_of_age,
    read_question,
    record_number,
)
from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing
from wardround.ehr.terms import find_drugs
from wardround.ehr.terms.diagnoses import lab_names
from wardround.models.client import LanguageModel

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


_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]+")

Work: TypeAlias = Generator[Search | Resource, list[Resource], Answer]
_PERSONAL = ("identifier", "age", "birthDate", "telecom", "gender")
_UUID_LENGTH = 36
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")

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


class FhirReader:
    """Answers one instruction through the tools or messages of its briefing."""

    def __init__(self, briefing: Briefing) -> None:
        self._channel = Channel(briefing)
        self._work: Work | None = None
        self._waits = False  # for code to return what a search retrieved

    async def act(self, observation: Observation) -> Action:
        """The next search or write, or the answer."""
        if self._waits:
            self._waits = False
            return self._channel.retrieved()
        try:
            if self._work is None:
                self._work = work(observation.text)
                step = next(self._work)
            else:
                resources = resources_in(observation.text)
                if resources is None:
                    return self._channel.answer(())
                step = self._work.send(resources)
        except StopIteration as end:
            return self._channel.answer(end.value)
        self._waits = self._channel.runs_code
        return self._channel.search(step) if isinstance(step, Search) else self._channel.write(step)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Returns a maker of agents; no model is used."""
    return lambda briefing, context: FhirReader(briefing)


def work(text: str) -> Work:
    """Yields searches and writes, gets their resources, returns the answer."""
    number = record_number(text)
    write = literal_write(text, number) if number else None
    if write is not None:
        yield write
        return ()
    question = read_question(text)
    if question is None:
        return ()
    if question.subject in _PERSONAL:
        return (yield from _person(question))
    return (yield from _events(question))


def _person(question: Question) -> Work:
    patients = yield _patient_search(question)
    if question.born:
        patients = [each for each in patients if _is_named(each, question.text)]
    return person_answer(question, patients[0]) if len(patients) == 1 else question.absent


def _patient_search(question: Question) -> Search:
    if question.born:
        return Search("Patient", parameters={"birthdate": question.born})
    if len(question.patient) == _UUID_LENGTH:
        return Search("Patient", question.patient, {"_id": question.patient})
    return Search("Patient", parameters={"identifier": question.patient})


def _is_named(patient: Resource, text: str) -> bool:
    """True if a text has the family name and a given name of a patient."""
    words = set(re.findall(r"[\w'-]+", text.lower()))
    return any(
        name.get("family", "").lower() in words
        and any(given.lower() in words for given in name.get("given", ()))
        for name in patient.get("name", ())
    )


def _events(question: Question) -> Work:
    patient = question.patient
    if len(patient) != _UUID_LENGTH:
        patients = yield _patient_search(question)
        if len(patients) != 1:
            return question.absent
        patient = patients[0]["id"]
    if question.subject != "Condition" and _DATE.search(question.text):
        return ()  # a stay or a day, which is not read
    resources = with_drugs((yield _event_search(question, patient)))
    events = _chosen(question, resources)
    if events is None:
        return ()
    if test := due_test(question, events, patient):
        yield test
    return event_answer(question, events)


def _event_search(question: Question, patient: str) -> Search:
    if question.subject == "Observation":
        only = {"code": question.code} if question.code else {"category": "laboratory"}
        return Search("Observation", patient, only)
    if question.subject == "MedicationRequest":
        return Search("MedicationRequest", patient, {"_include": "MedicationRequest:medication"})
    return Search(
        "Encounter" if question.subject == "intensive care" else question.subject, patient
    )


def _chosen(question: Question, resources: Sequence[Resource]) -> Sequence[Resource] | None:
    """The events asked about; None if the question narrows them in a way that is not read."""
    if question.subject == "intensive care":
        return [each for each in resources if each.get("class", {}).get("code") == "ACUTE"]
    if question.subject == "Encounter":
        return [each for each in resources if "partOf" not in each]
    named = about(question, resources)
    if named or question.subject == "Observation" or question.operations[0] == "any":
        return named
    return None if is_narrowed(question.text) else resources


def about(question: Question, resources: Sequence[Resource]) -> list[Resource]:
    """The events that a question names by code or name."""
    if question.code:
        wanted = _plain(question.code)
        return [each for each in resources if wanted in map(_plain, names_of(each))]
    if quoted := re.findall(r'"([^"]+)"', question.text):
        return [each for each in resources if set(quoted) & set(names_of(each))]
    if question.subject == "MedicationRequest":
        return _of_drugs(question.text, resources)
    if question.subject == "Observation":
        return _longest_named(_with_synonyms(question.text), resources)
    return _sharing_words(question.text, resources)


def is_narrowed(text: str) -> bool:
    """True if a text asks about a part of the events: a quoted name, a drug, or a date."""
    return bool(re.search(r'"|\b\d{4}-\d\d-\d\d\b', text) or find_drugs(text))


def _plain(code: str) -> str:
    return code.replace(".", "").lower()


def _of_drugs(text: str, resources: Sequence[Resource]) -> list[Resource]:
    asked = _generics(text)
    return [each for each in resources if asked & _generics("; ".join(names_of(each)))]


def _generics(text: str) -> set[str]:
    return {drug for mention in find_drugs(text) for drug in mention.generics}


def _longest_named(text: str, resources: Sequence[Resource]) -> list[Resource]:
    lengths = [length_named(each, text) for each in resources]
    longest = max(lengths, default=0)
    pairs = zip(resources, lengths, strict=True)
    return [each for each, length in pairs if longest and length == longest]


def _with_synonyms(text: str) -> str:
    """The text followed by the labels of tests that its words or pairs of words name."""
    words = _WORD.findall(text)
    phrases = [*words, *(" ".join(pair) for pair in pairwise(words))]
    return " | ".join([text, *(label for phrase in phrases for label in lab_names(phrase))])


def _sharing_words(text: str, resources: Sequence[Resource]) -> list[Resource]:
    asked = {word.lower() for word in _WORD.findall(text) if len(word) > 3}
    return [
        each
        for each in resources
        if asked & {word.lower() for name in names_of(each) for word in _WORD.findall(name)}
    ]


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
