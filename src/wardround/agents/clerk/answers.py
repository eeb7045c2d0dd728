"""Answers composed from the results of a turn's calls."""

from collections.abc import Iterator, Sequence

from wardround.agents.clerk.documents import excerpt, titled, wanted_plans
from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.measured import of_test
from wardround.agents.clerk.measurement_answers import (
    abnormal_sentences,
    measurement_sentences,
    recheck_sentences,
)
from wardround.agents.clerk.medications import dose_sentences, order_sentences, wanted_drugs
from wardround.agents.clerk.monitoring import monitored_by, risk_sentences
from wardround.agents.clerk.names import groups
from wardround.agents.clerk.question import PATIENT, Question
from wardround.agents.clerk.results import (
    NOT_GIVEN,
    Diagnosis,
    Document,
    Measurement,
    Medication,
    Stay,
    Words,
)
from wardround.agents.clerk.score_answers import score_sentences
from wardround.agents.clerk.score_inputs import fitting_scores
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.stay_answers import (
    all_diagnosis_sentences,
    diagnosis_sentences,
    identity_sentences,
    stay_sentence,
)
from wardround.agents.clerk.wordings import listed, sentences, term, time_words, worded
from wardround.core.actions import Call
from wardround.ehr.text import segments

# The subjects of the tools that ask the patient, by their roles.
_ABOUT = {
    "ask_medication_adherence": "about_medications",
    "ask_social_history": "about_life",
    "ask_functional_status": "about_daily_life",
    "ask_pain_assessment": "about_pain",
}
_STOPS = ".!?。！？"


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
                yield from identity_sentences(question, session, since)
            case "stays":
                yield from (stay_sentence(question, each) for each in session.entries(Stay, since))
            case "diagnoses":
                yield from diagnosis_sentences(question, list(session.entries(Diagnosis, since)))
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
    yield from all_diagnosis_sentences(question, list(session.entries(Diagnosis, since)))
    yield from _monitored(question, session, since)
    yield from abnormal_sentences(question, session, list(session.entries(Measurement, since)))


def _medications(intent: Intent, question: Question, session: Session, since: int) -> Iterator[str]:
    kind = "MedicationRequest" if intent == "orders" else "MedicationAdministration"
    found = [
        each
        for each in session.entries(Medication, since)
        if each.kind == kind and each.dosage != NOT_GIVEN
    ]
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
                parts = segments.texts(each.text, segments.sentences(each.text, language))
                words = listed(language, (part.rstrip(_STOPS) for part in parts))
                topic = _topic(question, session, call)
                yield worded(language, "patient", topic=topic, text=words)
    if not spoken and any(intent in PATIENT for intent in question.intents):
        yield worded(language, "silent")


def _topic(question: Question, session: Session, call: Call) -> str:
    """The drug that the patient was asked about, or the subject of the tool."""
    drug = call.arguments.get("drug")
    if drug:
        return term(question.language, drug, "drug")
    return worded(question.language, _ABOUT.get(session.role(call), "about_this"))
