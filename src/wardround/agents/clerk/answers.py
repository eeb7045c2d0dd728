"""Answers composed from the results of a turn's calls: stays, diagnoses, people, orders."""

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
    Person,
    Stay,
    Words,
)
from wardround.agents.clerk.score_inputs import Computed, computed, fitting_scores, input_name
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, part_name, sentences, term, time_words, worded
from wardround.core.actions import Call
from wardround.ehr.scores import Part
from wardround.ehr.text import segments
from wardround.ehr.text.language import Language
from wardround.ehr.text.mentions import mentions

_CLEARANCE = "cockcroft_gault"  # a formula of its inputs, which has no points

# The subjects of the tools that ask the patient, by their roles.
_ABOUT = {
    "ask_medication_adherence": "about_medications",
    "ask_social_history": "about_life",
    "ask_functional_status": "about_daily_life",
    "ask_pain_assessment": "about_pain",
}
_STOPS = ".!?。！？"

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
_SEXES = ("male", "female")
_DAY = len("2150-01-02")


def answer(question: Question, session: Session, since: int) -> str:
    """The answer to a question from the results since the given number."""
    language = question.language
    texts = list(dict.fromkeys(_sentences(question, session, since)))
    if texts and not {"advice", "summary"}.isdisjoint(question.intents):
        texts += recheck_sentences(question, session, list(session.entries(Measurement, since)))
    if texts and "advice" in question.intents:
        texts.append(worded(language, "your_decision"))
    return sentences(language, texts or [worded(language, "cannot")])


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
    measurements = list(session.entries(Measurement, since))
    measured_tests = [
        test for test in tests if test not in question.tests and of_test(test, measurements)
    ]
    if measured_tests:
        yield from measurement_sentences(question, session, measurements, measured_tests)


def _overview(question: Question, session: Session, since: int) -> Iterator[str]:
    """The diagnoses, and the results out of range."""
    yield from all_diagnosis_sentences(question, list(session.entries(Diagnosis, since)))
    yield from _monitored(question, session, since)
    yield from abnormal_sentences(question, session, list(session.entries(Measurement, since)))


def _medications(intent: Intent, question: Question, session: Session, since: int) -> Iterator[str]:
    kind = "MedicationRequest" if intent == "orders" else "MedicationAdministration"
    medications = [
        each
        for each in session.entries(Medication, since)
        if each.kind == kind and each.dosage != NOT_GIVEN
    ]
    wanted = wanted_drugs(question)
    compose = order_sentences if intent == "orders" else dose_sentences
    yield from compose(question, medications, wanted)


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
    """The patient's words; an answer is one sentence with the subject of its question."""
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


def score_sentences(
    language: Language, function: str, session: Session, since: int
) -> Iterator[str]:
    """The result of a score, its parts and the inputs that are missing."""
    score = computed(function, session, since)
    yield _total(language, function, score)
    valued_parts = [
        part for part in score.score.parts if any(v is not None for v in part.values.values())
    ]
    if valued_parts:
        form = _input if function == _CLEARANCE else _part
        parts = listed(language, (form(language, part, score) for part in valued_parts))
        yield worded(language, "score_parts", list=parts)
    unknown = [name for part in score.score.parts for name, v in part.values.items() if v is None]
    if unknown and score.score.low != score.score.high:
        names = (part_name(language, _input_name(language, name)) for name in unknown)
        yield worded(language, "score_missing", list=listed(language, names))


def _total(language: Language, function: str, computed_score: Computed) -> str:
    score = computed_score.score
    named = {"name": score.name, "version": score.version.replace(",", "")}
    if score.assumed is None:
        return worded(language, "score_open", **named)
    if score.low == score.high:
        form = "clearance" if function == _CLEARANCE else "score"
        return worded(language, form, total=_number(score.low), **named)
    return worded(
        language,
        "score_bounds",
        low=_number(score.low),
        high=_number(score.high),
        total=_number(score.assumed),
        **named,
    )


def _part(language: Language, part: Part, score: Computed) -> str:
    low, high = (_number(round(end, 2)) for end in (part.points.low, part.points.high))
    points = low if low == high else worded(language, "score_range", low=low, high=high)
    values = "/".join(_values(language, part, score))
    return worded(
        language, "score_part", name=_part_name(language, part), points=points, values=values
    )


def _input(language: Language, part: Part, score: Computed) -> str:
    values = " ".join(_values(language, part, score))
    return worded(language, "score_input", name=_part_name(language, part), values=values)


def _values(language: Language, part: Part, score: Computed) -> Iterator[str]:
    for name, value in part.values.items():
        if name in score.measured:
            measured = score.measured[name]
            yield f"{measured.value} {time_words(measured.time)}".strip()
        elif name == "female" and value is not None:
            yield worded(language, "sex_female" if value else "sex_male")
        elif name in score.findings:
            yield worded(language, "yes" if score.findings[name] else "no")
        elif value:
            yield f"{value:g}"


def _input_name(language: Language, name: str) -> str:
    return term(language, input_name(name), "test", "diagnosis")


def _part_name(language: Language, part: Part) -> str:
    name = term(language, part.name, "test", "diagnosis")
    return part_name(language, name) if name == part.name else name


def _number(value: float) -> str:
    return f"{round(value, 1):g}"


def identity_sentences(question: Question, session: Session, since: int) -> Iterator[str]:
    """Sentences on the age, sex, birth and death of the patient."""
    language = question.language
    for person in session.entries(Person, since):
        years = person.data.get("_anchor_age") if session.age is None else session.age
        age = worded(language, "years", age=years)
        gender = person.data.get("gender", "unknown")
        sex = worded(language, f"sex_{gender}") if gender in _SEXES else gender
        born, died = person.data.get("birthDate"), person.data.get("deceasedDateTime")
        yield (
            worded(language, "person", age=age, sex=sex)
            + (worded(language, "born", date=born) if born else "")
            + (worded(language, "died", date=died) if died else "")
        )


def stay_sentence(question: Question, stay: Stay) -> str:
    """A hospital stay with its dates, its kind and its places."""
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
    present_names = (name for name in _STAY if values.get(name) not in (None, ""))
    parts = (worded(language, f"stay_{name}", value=values[name]) for name in present_names)
    return listed(language, parts)


def diagnosis_sentences(question: Question, diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """The presence of each diagnosis that a question names; all diagnoses if it names none."""
    language = question.language
    if not diagnoses:
        yield worded(language, "nothing")
        return
    titles = {each: [m.name for m in mentions(each.title, "diagnosis")] for each in diagnoses}
    wanted = question.names("diagnosis", "symptom", "pain")
    for name in wanted:
        shown = [
            _titled(question, each)
            for each, title in titles.items()
            if _is_title(name, each, title)
        ]
        local = term(language, name, "diagnosis")
        if shown:
            yield worded(language, "has_diagnosis", name=local, list=listed(language, shown))
        else:
            yield worded(language, "no_diagnosis", name=local)
    if not wanted:
        yield from all_diagnosis_sentences(question, diagnoses)


def all_diagnosis_sentences(question: Question, diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """The main diagnosis, and the others."""
    language = question.language
    titles = [_titled(question, each) for each in diagnoses]
    yield from (worded(language, "main_diagnosis", name=name) for name in titles[:1])
    if others := titles[1:]:
        yield worded(language, "diagnoses", list=listed(language, others))


def _is_title(name: str, diagnosis: Diagnosis, named: Sequence[str]) -> bool:
    return name in named or name in diagnosis.title.lower()


def _titled(question: Question, diagnosis: Diagnosis) -> str:
    """A diagnosis with its code; in Chinese with the names of the terms in its title."""
    title = diagnosis.title.replace(", ", " ")
    if question.language == "zh":
        names = [term("zh", m.name, "diagnosis") for m in mentions(diagnosis.title, "diagnosis")]
        title = "/".join(dict.fromkeys(names)) or title
    return f"{title} ({diagnosis.code})"
