"""Answers a physician's questions about a patient through tools, without a language model."""

from collections.abc import Generator, Mapping
from typing import TypeAlias

from wardround.agents.clerk.answers import answer
from wardround.agents.clerk.follow_ups import follow_ups
from wardround.agents.clerk.lookups import lookups
from wardround.agents.clerk.orders import Missing, read_order
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.reading import read_question
from wardround.agents.clerk.results import Medication, read_result
from wardround.agents.clerk.session import Session, open_session, split_opening
from wardround.agents.clerk.wordings import listed, part_name, sentences, term, worded
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing
from wardround.ehr.terms.chinese import TermKind
from wardround.models.client import LanguageModel

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
    known = any(isinstance(e, Medication) for _, entries in session.results for e in entries)
    looks = question.intents[0] == "medicate" and len(drugs) == 1 and _ORDERS in session.tools
    if looks and not known and isinstance(read_order(question, session), Missing):
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
