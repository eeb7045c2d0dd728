"""The calls that answer a question: searches of the record, and questions to the patient."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.medications import wanted_drugs
from wardround.agents.clerk.monitoring import monitored_by
from wardround.agents.clerk.names import groups
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.score_inputs import tests_of
from wardround.agents.clerk.session import Session
from wardround.core.actions import Call

# The role of a tool and its arguments.
Search: TypeAlias = tuple[str, Mapping[str, object]]
MOST_CALLS = 14
_COUNT = 100
_OBSERVATIONS = "search_observations"
ADHERENCE = "ask_medication_adherence"
# Names of vital signs by which charts are searched, where they differ.
_CHARTED = {
    "temperature celsius": "temperature",
    "systolic blood pressure": "blood pressure",
    "diastolic blood pressure": "blood pressure",
    "mean blood pressure": "blood pressure",
}
_NOTE_PARTS = ("Discharge Medications", "Discharge Instructions", "Followup Instructions")
_ROLES: dict[Intent, str] = {
    "identity": "read_patient",
    "stays": "search_stays",
    "diagnoses": "search_diagnoses",
    "plan": "search_plans",
    "social": "ask_social_history",
    "function": "ask_functional_status",
    "pain": "ask_pain_assessment",
}


def lookups(question: Question, session: Session) -> list[Call]:
    """The calls for a question, each once, of the tools that there are."""
    searches = (each for intent in question.intents for each in _searches(intent, question))
    return calls_of(searches, session)[:MOST_CALLS]


def calls_of(searches: Iterable[Search], session: Session) -> list[Call]:
    """The calls of searches, each once, of the tools that there are."""
    calls = [session.call(role, **given) for role, given in searches if role in session.tools]
    return [call for index, call in enumerate(calls) if call not in calls[:index]]


def _searches(intent: Intent, question: Question) -> Iterator[Search]:
    match intent:
        case "labs":
            yield from _tests(question.tests)
        case "vitals":
            yield from _vital_signs(question.names("vital"))
        case "cultures":
            yield _OBSERVATIONS, {"category": "microbiology", "_count": _COUNT}
            yield "search_reports", {"report_type": "microbiology"}
        case "orders":
            yield from _drugs("search_orders", question)
        case "doses":
            yield from _drugs("search_doses", question)
        case "imaging":
            kinds = question.names("scan") or ("radiology",)
            yield from (("search_reports", {"report_type": kind}) for kind in kinds)
        case "notes" if set(_headings(question)) & set(_NOTE_PARTS):
            yield "search_plans", {}
        case "notes":
            # A long note is shown from about a keyword on.
            keywords = [{"keyword": heading} for heading in _headings(question)] or [{}]
            for keyword in keywords:
                yield "search_notes", {"type_code": "discharge-summary", **keyword}
        case "symptoms":
            yield (
                "ask_symptom_history",
                {"query": question.clauses.get(intent, question.text)},
            )
        case "adherence":
            yield from _adherence(question)
        case "score" if scores := question.names("score"):
            for name in scores:
                yield from score_searches(groups()["score", name].members[0])
        case "score":
            yield "search_diagnoses", {}
        case "advice" if drugs := wanted_drugs(question):
            yield from _tests(monitored_by(drugs))
        case "summary":
            yield "search_diagnoses", {}
            yield from _tests(())
            tests = monitored_by(wanted_drugs(question))
            yield from _tests(tests) if tests else ()
        case _ if intent in _ROLES:
            yield _ROLES[intent], {}


def _tests(tests: tuple[str, ...]) -> Iterator[Search]:
    if not tests:
        yield _OBSERVATIONS, {"category": "laboratory", "_count": _COUNT}
    for test in tests:
        yield _OBSERVATIONS, {"category": "laboratory", "code": test, "_count": _COUNT}


def _vital_signs(names: tuple[str, ...]) -> Iterator[Search]:
    charted = dict.fromkeys(_CHARTED.get(name, name) for name in names)
    for name in charted or {"": None}:
        yield (
            _OBSERVATIONS,
            {
                "category": "vital-signs",
                **({"code": name} if name else {}),
                "_count": _COUNT,
            },
        )


def _drugs(role: str, question: Question) -> Iterator[Search]:
    """A search for each named drug; one search for all if a class or no drug is named."""
    drugs, classes = question.names("drug"), question.names("class")
    if classes or not drugs:
        yield role, {}
        return
    yield from ((role, {"medication": drug}) for drug in drugs)


def score_searches(function: str) -> Iterator[Search]:
    """The searches for the inputs of a score."""
    tests, vitals, asks_history = tests_of(function)
    yield from _tests(tests) if tests else ()
    yield from _vital_signs(vitals) if vitals else ()
    if asks_history:
        yield "search_diagnoses", {}
    if function == "has_bled":
        yield "search_orders", {}
    if function == "sofa":
        yield "search_doses", {}


def _adherence(question: Question) -> Iterator[Search]:
    """A question about each drug; the orders of a class, whose drugs are asked about later."""
    drugs = question.names("drug")
    yield from ((ADHERENCE, {"drug": drug}) for drug in drugs)
    if question.names("class"):
        yield "search_orders", {}
    elif not drugs:
        yield ADHERENCE, {}


def _headings(question: Question) -> list[str]:
    return [groups()["section", name].members[0] for name in question.names("section")]
