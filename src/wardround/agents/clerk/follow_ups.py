"""Calls that follow from results: scores by diagnoses, drugs to ask the patient about."""

import re
from collections.abc import Iterator

from wardround.agents.clerk.documents import section
from wardround.agents.clerk.lookups import ADHERENCE, MOST_CALLS, Search, calls_of, score_searches
from wardround.agents.clerk.medications import generics_of, wanted_drugs
from wardround.agents.clerk.names import find_terms
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Document, Medication, Words
from wardround.agents.clerk.score_inputs import fitting_scores
from wardround.agents.clerk.session import Session
from wardround.core.actions import Call

_MOST_OF_CLASS, _MOST_AT_HOME = 3, 6  # drugs that the patient is asked about
# Drugs that people take without a prescription, and often leave out.
_UNPRESCRIBED = ("ibuprofen", "naproxen")
_ORAL = re.compile(r"\bPO\b")
_HOME_DRUGS = "Medications on Admission"
_NOTE: Search = (
    "search_notes",
    {"type_code": "discharge-summary", "keyword": _HOME_DRUGS},
)


def follow_ups(question: Question, session: Session, since: int) -> list[Call]:
    """The calls that follow from the results from a place on; none when all is done."""
    done = [call for call, _ in session.results[since:]]
    calls = calls_of(_searches(question, session, since), session)
    return [call for call in calls if call not in done][: max(MOST_CALLS - len(done), 0)]


def _searches(question: Question, session: Session, since: int) -> Iterator[Search]:
    if "score" in question.intents and not question.names("score"):
        for function in fitting_scores(session, since):
            yield from score_searches(function)
    if "advice" in question.intents and "adherence" not in question.intents:
        if question.names("class"):
            yield from _of_class(question, session, since)
        by_mouth = _by_mouth(session, since)
        for drug in question.names("drug")[:_MOST_OF_CLASS]:
            if drug in by_mouth:
                yield ADHERENCE, {"drug": drug}
    if "adherence" not in question.intents or question.names("drug"):
        return
    if question.names("class"):
        yield from _of_class(question, session, since)
    else:
        yield _NOTE
        yield from _untold(session, since)


def _of_class(question: Question, session: Session, since: int) -> Iterator[Search]:
    """Questions about the ordered drugs of a class; about all drugs if there are none."""
    orders = session.entries(Medication, since)
    known = dict.fromkeys(drug for each in orders for drug in sorted(generics_of(each)))
    drugs = [drug for drug in known if drug in wanted_drugs(question)][:_MOST_OF_CLASS]
    yield from ((ADHERENCE, {"drug": drug}) for drug in drugs)
    if not drugs:
        yield ADHERENCE, {}


def _by_mouth(session: Session, since: int) -> set[str]:
    """The drugs that the patient is ordered to take by mouth, and may know from home."""
    orders = (each for each in session.entries(Medication, since) if _ORAL.search(each.dosage))
    return {drug for each in orders for drug in generics_of(each)}


def _untold(session: Session, since: int) -> Iterator[Search]:
    """Questions about the drugs of the admission list that the patient did not speak of."""
    told = " ".join(each.text for each in session.entries(Words, since))
    spoken_of = {term.name for term in find_terms(told) if term.kind == "drug"}
    texts = (section(each.text, _HOME_DRUGS) for each in session.entries(Document, since))
    at_home = (term for text in texts for term in find_terms(text) if term.kind == "drug")
    untold = [name for name in dict.fromkeys(t.name for t in at_home) if name not in spoken_of]
    asked = [*untold[:_MOST_AT_HOME], *(each for each in _UNPRESCRIBED if each not in spoken_of)]
    yield from ((ADHERENCE, {"drug": drug}) for drug in asked)
