"""The calls that answer a question: searches of the record, and questions to the patient."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from wardround.agents.clerk.intents import Intent
from wardround.agents.clerk.medications import generics_of, wanted_drugs
from wardround.agents.clerk.names import groups
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Medication
from wardround.agents.clerk.score_inputs import fitting_scores, tests_of
from wardround.agents.clerk.session import Session
from wardround.core.actions import Call

# A tool and its arguments.
Search: TypeAlias = tuple[str, Mapping[str, object]]
MOST_CALLS = 14
_COUNT = 100
_MOST_DRUGS = 3  # of a class that the patient is asked about
_OBSERVATIONS = "Observation.search"
_ADHERENCE = "patient.get_medication_adherence"
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
    return _calls(searches, session)[:MOST_CALLS]


def follow_ups(question: Question, session: Session, since: int) -> list[Call]:
    """The calls that follow from the results from a place on."""
    searches: list[Search] = []
    if "score" in question.intents and not question.names("score"):
        for function in fitting_scores(session, since):
            searches += _score(function)
    if "adherence" in question.intents and question.names("class"):
        orders = session.entries(Medication, since)
        known = dict.fromkeys(drug for each in orders for drug in sorted(generics_of(each)))
        wanted = wanted_drugs(question)
        drugs = [drug for drug in known if drug in wanted][:_MOST_DRUGS]
        searches += [(_ADHERENCE, {"drug": drug}) for drug in drugs] or [(_ADHERENCE, {})]
    carried_out = [call for call, _ in session.results[since:]]
    calls = [call for call in _calls(searches, session) if call not in carried_out]
    return calls[: MOST_CALLS - len(carried_out)]


def _calls(searches: Iterable[Search], session: Session) -> list[Call]:
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
            kinds = question.names("service") or ("radiology",)
            yield from (("DiagnosticReport.search", {"report_type": kind}) for kind in kinds)
        case "notes" if set(_headings(question)) & set(_NOTE_PARTS):
            yield "CarePlan.search", {}
        case "notes":
            yield "DocumentReference.search", {"type_code": "discharge-summary"}
        case "symptoms":
            yield "patient.get_symptom_history", {"query": question.clauses[intent]}
        case "adherence":
            yield from _adherence(question)
        case "score" if scores := question.names("score"):
            for name in scores:
                yield from _score(groups()["score", name].members[0])
        case "score":
            yield "Condition.search", {}
        case "summary":
            yield "Condition.search", {}
            yield from _tests(())
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


def _score(function: str) -> Iterator[Search]:
    tests, vitals, asks_history = tests_of(function)
    yield from _tests(tests) if tests else ()
    yield from _vital_signs(vitals) if vitals else ()
    if asks_history:
        yield "Condition.search", {}
    if function == "has_bled":
        yield "MedicationRequest.search", {}


def _adherence(question: Question) -> Iterator[Search]:
    """A question about each drug; the orders of a class, whose drugs are asked about later."""
    drugs = question.names("drug")
    yield from ((_ADHERENCE, {"drug": drug}) for drug in drugs)
    if question.names("class"):
        yield "MedicationRequest.search", {}
    elif not drugs:
        yield _ADHERENCE, {}


def _headings(question: Question) -> list[str]:
    return [groups()["section", name].members[0] for name in question.names("section")]
