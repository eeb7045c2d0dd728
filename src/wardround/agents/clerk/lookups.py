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

# A tool and its arguments.
Search: TypeAlias = tuple[str, Mapping[str, object]]
MOST_CALLS = 14
_COUNT = 100
_OBSERVATIONS = "Observation.search"
ADHERENCE = "patient.get_medication_adherence"
# Names of vital signs by which charts are searched, where they differ.
_CHARTED = {
    "temperature celsius": "temperature",
    "systolic blood pressure": "blood pressure",
    "diastolic blood pressure": "blood pressure",
    "mean blood pressure": "blood pressure",
}
_NOTE_PARTS = ("Discharge Medications", "Discharge Instructions", "Followup Instructions")
_TOOLS: dict[Intent, str] = {
    "identity": "Patient.read",
    "stays": "Encounter.search",
    "diagnoses": "Condition.search",
    "plan": "CarePlan.search",
    "social": "patient.get_social_history",
    "function": "patient.get_functional_status",
    "pain": "patient.get_pain_assessment",
}


def lookups(question: Question, session: Session) -> list[Call]:
    """The calls for a question, each once, of the tools that there are."""
    searches = (each for intent in question.intents for each in _searches(intent, question))
    return calls_of(searches, session)[:MOST_CALLS]


def calls_of(searches: Iterable[Search], session: Session) -> list[Call]:
    """The calls of searches, each once, of the tools that there are."""
    calls = [session.call(tool, **given) for tool, given in searches if tool in session.tools]
    return [call for place, call in enumerate(calls) if call not in calls[:place]]


def _searches(intent: Intent, question: Question) -> Iterator[Search]:
    match intent:
        case "labs":
            yield from _tests(question.tests)
        case "vitals":
            yield from _vital_signs(question.names("vital"))
        case "cultures":
            yield _OBSERVATIONS, {"category": "microbiology", "_count": _COUNT}
            yield "DiagnosticReport.search", {"report_type": "microbiology"}
        case "orders":
            yield from _drugs("MedicationRequest.search", question)
        case "doses":
            yield from _drugs("MedicationAdministration.search", question)
        case "imaging":
            kinds = question.names("scan") or ("radiology",)
            yield from (("DiagnosticReport.search", {"report_type": kind}) for kind in kinds)
        case "notes" if set(_headings(question)) & set(_NOTE_PARTS):
            yield "CarePlan.search", {}
        case "notes":
            # A long note is shown from about a keyword on.
            keywords = [{"keyword": heading} for heading in _headings(question)] or [{}]
            for keyword in keywords:
                yield "DocumentReference.search", {"type_code": "discharge-summary", **keyword}
        case "symptoms":
            yield (
                "patient.get_symptom_history",
                {"query": question.clauses.get(intent, question.text)},
            )
        case "adherence":
            yield from _adherence(question)
        case "score" if scores := question.names("score"):
            for name in scores:
                yield from score_searches(groups()["score", name].members[0])
        case "score":
            yield "Condition.search", {}
        case "advice" if drugs := wanted_drugs(question):
            yield from _tests(monitored_by(drugs))
        case "summary":
            yield "Condition.search", {}
            yield from _tests(())
            tests = monitored_by(wanted_drugs(question))
            yield from _tests(tests) if tests else ()
        case _ if intent in _TOOLS:
            yield _TOOLS[intent], {}


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


def _drugs(tool: str, question: Question) -> Iterator[Search]:
    """A search of each drug; one of all for classes, or where none is named."""
    drugs, classes = question.names("drug"), question.names("class")
    if classes or not drugs:
        yield tool, {}
        return
    yield from ((tool, {"medication": drug}) for drug in drugs)


def score_searches(function: str) -> Iterator[Search]:
    """The searches for the inputs of a score."""
    tests, vitals, asks_history = tests_of(function)
    yield from _tests(tests) if tests else ()
    yield from _vital_signs(vitals) if vitals else ()
    if asks_history:
        yield "Condition.search", {}
    if function == "has_bled":
        yield "MedicationRequest.search", {}
    if function == "sofa":
        yield "MedicationAdministration.search", {}


def _adherence(question: Question) -> Iterator[Search]:
    """A question about each drug; the orders of a class, whose drugs are asked about later."""
    drugs = question.names("drug")
    yield from ((ADHERENCE, {"drug": drug}) for drug in drugs)
    if question.names("class"):
        yield "MedicationRequest.search", {}
    elif not drugs:
        yield ADHERENCE, {}


def _headings(question: Question) -> list[str]:
    return [groups()["section", name].members[0] for name in question.names("section")]
