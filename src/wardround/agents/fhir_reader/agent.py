"""Reads an instruction, searches, computes the answer; abstains where it is unsure.

It writes only what the instruction spells out.
"""

import re
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import TypeAlias

from wardround.agents.fhir_reader.answers import event_answer, person_answer
from wardround.agents.fhir_reader.channel import Answer, Channel, Resource, Search, resources_in
from wardround.agents.fhir_reader.elements import length_named, names_of, with_drugs
from wardround.agents.fhir_reader.question import Question, read_question, record_number
from wardround.agents.fhir_reader.writes import due_test, literal_write
from wardround.core.actions import Action, Observation
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing
from wardround.ehr.terms.diagnoses import lab_names
from wardround.ehr.text.mentions import find_drugs
from wardround.models.client import LanguageModel

Work: TypeAlias = Generator[Search | Resource, list[Resource], Answer]
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_PERSONAL = ("identifier", "age", "birthDate", "telecom", "gender")
_UUID_LENGTH = 36
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


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
