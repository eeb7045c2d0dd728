"""Sentences about the patient, hospital stays and diagnoses."""

from collections.abc import Iterator, Sequence
from datetime import date

from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Diagnosis, Person, Stay
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, term, time_words, worded
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
_SEXES = ("male", "female")
_DAY = len("2150-01-02")


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
    known = (name for name in _STAY if values.get(name) not in (None, ""))
    parts = (worded(language, f"stay_{name}", value=values[name]) for name in known)
    return listed(language, parts)


def diagnosis_sentences(question: Question, diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
    """The presence of each diagnosis that a question names; all diagnoses if it names none."""
    language = question.language
    if not diagnoses:
        yield worded(language, "nothing")
        return
    titles = {each: [m.english for m in mentions(each.title, "diagnosis")] for each in diagnoses}
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
        names = [term("zh", m.english, "diagnosis") for m in mentions(diagnosis.title, "diagnosis")]
        title = "/".join(dict.fromkeys(names)) or title
    return f"{title} ({diagnosis.code})"
