"""Answers composed from the results of a turn's calls."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from wardround.agents.clerk.documents import excerpt, titled, wanted_plans
from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.measured import of_test
from wardround.agents.clerk.measurement_answers import (
    abnormal_sentences,
    measurement_sentences,
    recheck_sentences,
)
from wardround.agents.clerk.medications import (
    dose_sentences,
    order_sentences,
    risk_sentences,
    wanted_drugs,
)
from wardround.agents.clerk.monitoring import monitored_by
from wardround.agents.clerk.names import groups
from wardround.agents.clerk.question import PATIENT, Question
from wardround.agents.clerk.results import (
    Diagnosis,
    Document,
    Measurement,
    Medication,
    Person,
    Stay,
    Words,
)
from wardround.agents.clerk.score_answers import score_sentences
from wardround.agents.clerk.score_inputs import fitting_scores
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, sentences, term, time_words, worded
from wardround.core.actions import Call
from wardround.ehr.terms.chinese import mentions

_STAY = (
    "number",
    "start",
    "admission_type",
    "admission_location",
    "end",
    "days",
    "discharge_location",
    "language",
)
_SENTENCE = re.compile(r"[.!?]+(?:\s+|$)|[。！？]")
_DAY = len("2150-01-02")


def answer(question: Question, session: Session, since: int) -> str:
    """The answer to a question from the results from a place on."""
    language = question.language
    said = list(dict.fromkeys(_sentences(question, session, since)))
    if said and not {"advice", "summary"}.isdisjoint(question.intents):
        said += recheck_sentences(question, session, list(session.entries(Measurement, since)))
    if said and "advice" in question.intents:
        said.append(worded(language, "your_decision"))
    return sentences(language, said or [worded(language, "cannot")])


def _sentences(question: Question, session: Session, since: int) -> Iterator[str]:
    language = question.language
    for intent in question.intents:
        match intent:
            case "identity":
                yield from _identity(question, session, since)
            case "stays":
                yield from (_stay(question, each) for each in session.entries(Stay, since))
            case "diagnoses":
                yield from _diagnoses(question, list(session.entries(Diagnosis, since)))
            case "labs" | "vitals" | "cultures":
                yield from _measured(intent, question, session, since)
            case "orders" | "doses":
                yield from _medications(intent, question, session, since)
            case "score":
                named = [groups()["score", name].members[0] for name in question.names("score")]
                for function in named or fitting_scores(session, since):
                    yield from score_sentences(language, function, session, since)
            case "advice":
                yield from _monitored(question, session, since)
                yield from risk_sentences(question)
            case "summary":
                yield from _overview(question, session, since)
    yield from _documents(question, list(session.entries(Document, since)))
    yield from _words(question, session, since)


def _identity(question: Question, session: Session, since: int) -> Iterator[str]:
    language = question.language
    for person in session.entries(Person, since):
        years = person.data.get("_anchor_age") if session.age is None else session.age
        age = worded(language, "years", age=years)
        sex = worded(language, f"sex_{person.data.get('gender', 'male')}")
        born, died = person.data.get("birthDate"), person.data.get("deceasedDateTime")
        yield (
            worded(language, "person", age=age, sex=sex)
            + (worded(language, "born", date=born) if born else "")
            + (worded(language, "died", date=died) if died else "")
        )


def _stay(question: Question, stay: Stay) -> str:
    language = question.language
    days = (date.fromisoformat(time[:_DAY]) if time else None for time in (stay.start, stay.end))
    start, end = days
    values = {
        **stay.facts,
        "number": stay.number,
        "start": time_words(stay.start),
        "end": time_words(stay.end),
        "days": (end - start).days if start and end else None,
    }
    known = (name for name in _STAY if values.get(name) not in (None, ""))
    parts = (worded(language, f"stay_{name}", value=values[name]) for name in known)
    return listed(language, parts)


def _diagnoses(question: Question, found: Sequence[Diagnosis]) -> Iterator[str]:
    language = question.language
    if not found:
        yield worded(language, "nothing")
        return
    titles = {each: [m.english for m in mentions(each.title, "diagnosis")] for each in found}
    wanted = question.names("diagnosis", "symptom", "pain")
    for name in wanted:
        shown = [
            _titled(question, each) for each, own in titles.items() if _is_title(name, each, own)
        ]
        local = term(language, name, "diagnosis")
        if shown:
            yield worded(language, "has_diagnosis", name=local, list=listed(language, shown))
        else:
            yield worded(language, "no_diagnosis", name=local)
    if not wanted:
        yield from _all_diagnoses(question, found)


def _all_diagnoses(question: Question, found: Sequence[Diagnosis]) -> Iterator[str]:
    language = question.language
    titles = [_titled(question, each) for each in found]
    yield from (worded(language, "main_diagnosis", name=name) for name in titles[:1])
    if others := titles[1:]:
        yield worded(language, "diagnoses", list=listed(language, others))


def _is_title(name: str, diagnosis: Diagnosis, named: Sequence[str]) -> bool:
    return name in named or name in diagnosis.title.lower()


def _titled(question: Question, diagnosis: Diagnosis) -> str:
    """A diagnosis with its code; in Chinese with the names of the terms in its title."""
    title = diagnosis.title.replace(", ", " ")
    if question.language == "zh":
        names = [term("zh", m.english, "diagnosis") for m in mentions(diagnosis.title, "diagnosis")]
        title = "/".join(dict.fromkeys(names)) or title
    return f"{title} ({diagnosis.code})"


def _measured(intent: Intent, question: Question, session: Session, since: int) -> Iterator[str]:
    measurements = list(session.entries(Measurement, since))
    language = question.language
    if intent == "cultures":
        cultures = [each for each in measurements if each.number is None]
        if not measurements:
            yield worded(language, "not_found", name=term(language, "microbiology", "category"))
        yield from measurement_sentences(question, session, cultures, ())
        return
    names = question.tests if intent == "labs" else question.names("vital")
    if names:
        yield from measurement_sentences(question, session, measurements, names)
    elif intent == "labs":
        yield from abnormal_sentences(question, session, measurements)
    elif measurements:
        yield from measurement_sentences(question, session, measurements, ())
    else:
        yield worded(language, "nothing")


def _monitored(question: Question, session: Session, since: int) -> Iterator[str]:
    """The tests that treatment with the drugs of a question is monitored by."""
    tests = monitored_by(wanted_drugs(question))
    found = list(session.entries(Measurement, since))
    known = [test for test in tests if test not in question.tests and of_test(test, found)]
    if known:
        yield from measurement_sentences(question, session, found, known)


def _overview(question: Question, session: Session, since: int) -> Iterator[str]:
    """The diagnoses, and the results out of range."""
    yield from _all_diagnoses(question, list(session.entries(Diagnosis, since)))
    yield from _monitored(question, session, since)
    yield from abnormal_sentences(question, session, list(session.entries(Measurement, since)))


def _medications(intent: Intent, question: Question, session: Session, since: int) -> Iterator[str]:
    kind = "MedicationRequest" if intent == "orders" else "MedicationAdministration"
    found = [each for each in session.entries(Medication, since) if each.kind == kind]
    wanted = wanted_drugs(question)
    compose = order_sentences if intent == "orders" else dose_sentences
    yield from compose(question, found, wanted)


def _documents(question: Question, documents: Sequence[Document]) -> Iterator[str]:
    plans = [each for each in documents if each.kind == "CarePlan"]
    others = [each for each in documents if each.kind != "CarePlan"]
    language = question.language
    asked = {"imaging", "notes", "plan", "cultures"}.intersection(question.intents)
    for each in (*wanted_plans(question, plans), *others) if asked else ():
        if text := excerpt(question, each):
            title, time = titled(question, each), time_words(each.time)
            yield worded(language, "document", title=title, time=time, text=text)
    if asked - {"cultures"} and not documents:
        yield worded(language, "nothing")


def _words(question: Question, session: Session, since: int) -> Iterator[str]:
    """The patient's words, those of an answer as one sentence with what was asked about."""
    language, spoken = question.language, False
    for call, entries in session.results[since:]:
        for each in entries:
            if isinstance(each, Words):
                spoken = True
                words = listed(language, filter(None, _SENTENCE.split(each.text)))
                yield worded(language, "patient", topic=_topic(question, call), text=words)
    if not spoken and any(intent in PATIENT for intent in question.intents):
        yield worded(language, "silent")


def _topic(question: Question, call: Call) -> str:
    """The drug that the patient was asked about, or the subject of the tool."""
    drug = call.arguments.get("drug")
    if drug:
        return term(question.language, drug, "drug")
    return worded(question.language, f"about_{call.tool.rpartition('_')[2]}")
