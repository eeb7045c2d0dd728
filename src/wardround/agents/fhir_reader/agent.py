"""Reads an instruction, searches, computes the answer; abstains where it is unsure."""

import re
from collections.abc import Generator, Sequence
from typing import TypeAlias

from wardround.agents.fhir_reader.answers import event_answer, person_answer
from wardround.agents.fhir_reader.channel import (
    Answer,
    Channel,
    Resource,
    Search,
    resources_in,
)
from wardround.agents.fhir_reader.elements import with_drugs
from wardround.agents.fhir_reader.orders import due_test, literal_write
from wardround.agents.fhir_reader.question import Question, read_question, record_number
from wardround.agents.fhir_reader.topics import about, is_narrowed
from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel

Work: TypeAlias = Generator[Search | Resource, list[Resource], Answer]
_PERSONAL = ("identifier", "age", "birthDate", "telecom", "gender")
_UUID_LENGTH = 36
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class FhirReader:
    """Answers one instruction through the tools or messages of its briefing."""

    def __init__(self, briefing: Briefing) -> None:
        self._channel = Channel(briefing)
        self._work: Work | None = None

    async def act(self, observation: Observation) -> Action:
        """The next search or write, or the answer."""
        try:
            if self._work is None:
                self._work = work(observation.text)
                step = next(self._work)
            else:
                step = self._work.send(resources_in(observation.text))
        except StopIteration as end:
            return self._channel.answer(end.value)
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
    found = with_drugs((yield _event_search(question, patient)))
    events = _chosen(question, found)
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


def _chosen(question: Question, found: Sequence[Resource]) -> Sequence[Resource] | None:
    """The events asked about; None if the question narrows them in a way that is not read."""
    if question.subject == "intensive care":
        return [each for each in found if each.get("class", {}).get("code") == "ACUTE"]
    if question.subject == "Encounter":
        return [each for each in found if "partOf" not in each]
    named = about(question, found)
    if named or question.subject == "Observation" or question.operations[0] == "any":
        return named
    return None if is_narrowed(question.text) else found
