"""Answers a physician's questions about a patient through tools, without a language model."""

import re
from collections.abc import Generator, Iterator, Mapping
from typing import TypeAlias

from wardround.agents.clerk.answers import answer
from wardround.agents.clerk.documents import section
from wardround.agents.clerk.lookups import (
    ADHERENCE,
    MOST_CALLS,
    Search,
    calls_of,
    lookups,
    score_searches,
)
from wardround.agents.clerk.medications import generics_of, wanted_drugs
from wardround.agents.clerk.names import find_terms
from wardround.agents.clerk.orders import Missing, read_order
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.reading import read_question
from wardround.agents.clerk.results import Document, Medication, Words, read_result
from wardround.agents.clerk.score_inputs import fitting_scores
from wardround.agents.clerk.session import Session, open_session, split_opening
from wardround.agents.clerk.wordings import listed, part_name, sentences, term, worded
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing
from wardround.ehr.terms.chinese import TermKind
from wardround.models.client import LanguageModel

_MOST_OF_CLASS, _MOST_AT_HOME = 3, 6  # drugs that the patient is asked about
# Drugs that people take without a prescription, and often leave out.
_UNPRESCRIBED = ("ibuprofen", "naproxen")
_ORAL = re.compile(r"\bPO\b")
_HOME_DRUGS = "Medications on Admission"
_NOTE: Search = (
    "search_notes",
    {"type_code": "discharge-summary", "keyword": _HOME_DRUGS},
)

_PREPARE = "prepare_answer"
# The vocabulary of each argument of an order.
_TERMS: Mapping[str, tuple[TermKind, ...]] = {
    "medication": ("drug",),
    "route": ("route",),
    "frequency": ("frequency",),
    "service_type": ("service", "test"),
    "priority": ("priority",),
    "category": ("category",),
}
_ORDERS = "search_orders"
# A call, its result as text, and the answer in the end.
Work: TypeAlias = Generator[Call, str, str]


class Clerk:
    """Looks up, computes scores, asks the patient and writes plain orders; else abstains."""

    def __init__(self, briefing: Briefing) -> None:
        self._briefing = briefing
        self._session: Session | None = None
        self._work: Work | None = None

    async def act(self, observation: Observation) -> Action:
        """The next call of a turn, or its answer."""
        try:
            if observation.source != "tool" or self._work is None:
                return self._begin(observation)
            return self._work.send(observation.text)
        except StopIteration as end:
            self._work = None
            return Say(end.value)

    def _begin(self, observation: Observation) -> Action:
        """The first call for a question; an answer at once where no more calls are allowed."""
        if self._session is None:
            opening, asked = split_opening(observation.text)
            self._session = open_session(self._briefing, opening)
        elif observation.source == "environment":
            self._work = None
            return Say(_refusal(self._session))
        else:
            asked = observation.text
        question = read_question(asked, self._session.questions)
        self._session.questions.append(question)
        self._work = _turn(question, self._session)
        return next(self._work)


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Returns a maker of agents; no model is used."""
    return lambda briefing, context: Clerk(briefing)


def _turn(question: Question, session: Session) -> Work:
    """Yields the calls of a turn and returns its answer."""
    since = len(session.results)
    if question.writes:
        text = yield from _order(question, session)
    else:
        for call in lookups(question, session):
            yield from _carried_out(call, session)
        while calls := follow_ups(question, session, since):
            for call in calls:
                yield from _carried_out(call, session)
        text = answer(question, session, since)
    if _PREPARE in session.tools:
        called = len(session.results) > since or question.writes
        yield session.call(_PREPARE, answer_type="tool" if called else "chat")
    return text


def _carried_out(call: Call, session: Session) -> Generator[Call, str, str]:
    result = yield call
    session.results.append((call, read_result(result)))
    return result


def _order(question: Question, session: Session) -> Work:
    """Writes what is asked for, after a look at earlier orders of the drug."""
    drugs = question.names("drug")
    has_medications = any(
        isinstance(e, Medication) for _, entries in session.results for e in entries
    )
    looks = question.intents[0] == "medicate" and len(drugs) == 1 and _ORDERS in session.tools
    if looks and not has_medications and isinstance(read_order(question, session), Missing):
        yield from _carried_out(session.call(_ORDERS, medication=drugs[0]), session)
    order, language = read_order(question, session), question.language
    if isinstance(order, Missing):
        parts = listed(language, (part_name(language, each) for each in order.parts))
        return sentences(language, [worded(language, "lacking", list=parts)])
    result = yield from _carried_out(order, session)
    if '"error"' in result or "OperationOutcome" in result:
        return sentences(language, [worded(language, "refused", reason=result)])
    return sentences(language, [_written(question, order)])


def _written(question: Question, order: Call) -> str:
    kind = {"medicate": "medication", "request": "service", "flag": "flag"}[question.intents[0]]
    words = {
        name: term(question.language, str(value), *_TERMS.get(name, ()))
        for name, value in order.arguments.items()
    }
    return worded(question.language, f"written_{kind}", **words)


def _refusal(session: Session) -> str:
    language = session.questions[-1].language if session.questions else "en"
    return sentences(language, [worded(language, "cannot")])


def follow_ups(question: Question, session: Session, since: int) -> list[Call]:
    """The calls that follow from the results since the given number; none when all is done."""
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
    ordered_drugs = dict.fromkeys(drug for each in orders for drug in sorted(generics_of(each)))
    drugs = [drug for drug in ordered_drugs if drug in wanted_drugs(question)][:_MOST_OF_CLASS]
    yield from ((ADHERENCE, {"drug": drug}) for drug in drugs)
    if not drugs:
        yield ADHERENCE, {}


def _by_mouth(session: Session, since: int) -> set[str]:
    """The drugs that the patient is ordered to take by mouth, and may know from home."""
    orders = (each for each in session.entries(Medication, since) if _ORAL.search(each.dosage))
    return {drug for each in orders for drug in generics_of(each)}


def _untold(session: Session, since: int) -> Iterator[Search]:
    """Questions about the drugs of the admission list that the patient did not speak of."""
    spoken = " ".join(each.text for each in session.entries(Words, since))
    spoken_of = {term.name for term in find_terms(spoken) if term.kind == "drug"}
    texts = (section(each.text, _HOME_DRUGS) for each in session.entries(Document, since))
    at_home = (term for text in texts for term in find_terms(text) if term.kind == "drug")
    untold = [name for name in dict.fromkeys(t.name for t in at_home) if name not in spoken_of]
    asked = [*untold[:_MOST_AT_HOME], *(each for each in _UNPRESCRIBED if each not in spoken_of)]
    yield from ((ADHERENCE, {"drug": drug}) for drug in asked)
