"""Searches orders of medications and the doses given."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wardround.benchmarks.assist.tools.chart import (
    PatientChart,
    escaped,
    reference_to,
)
from wardround.benchmarks.assist.tools.results import (
    LEFT_OUT,
    bundle,
    label,
    labels,
    nothing_found,
)
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.administrations import is_withheld
from wardround.ehr.fhir.store.rows import folded, has_word
from wardround.ehr.terms.drugs import also_known_as

_DRUG_NAMES = "medication-name"
_MOST_GIVEN = 100
# The most orders or doses of a search that are looked through for names.
_SEARCHED = 20_000
_NOT_DONE = "not-done"
# Brands beyond the best known are in no hospital's orders.
_MOST_NAMES = 8
# Ids in one search.
_IDS = 100


def search_orders(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Orders of medications, the newest start first."""
    criteria = {
        **({"encounter": stays} if stays else {}),
        **_drug(chart, arguments),
        "_sort": "-authoredon",
    }
    results = chart.search("MedicationRequest", criteria, _SEARCHED)
    names, timings = _names(chart, results.matches), _timings(chart, results.matches)
    orders = [_order(each, names, timings, chart) for each in results.matches]
    if wanted := arguments.get("status"):
        orders = [each for each in orders if each["status"] == wanted]
    orders = _of_drug(chart, orders, arguments)
    if not orders:
        return nothing_found("The patient has no such order.")
    newest = sorted(orders, key=_start, reverse=True)
    return bundle("MedicationRequest", newest, results.total - len(results.matches))


def search_doses(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Doses that were given or withheld, newest first; 100 if neither stay nor drug is named."""
    criteria = {
        **({"context": stays} if stays else {}),
        "_include": "MedicationAdministration:request",
        "_sort": "-effective-time",
    }
    most = _SEARCHED if stays or "medication" in arguments else _MOST_GIVEN
    searches = [
        chart.search("MedicationAdministration", {**criteria, **drug}, most)
        for drug in _given_drug(chart, arguments)
    ]
    doses = {each["id"]: each for result in searches for each in result.matches}
    included = {
        reference: each for result in searches for reference, each in result.included.items()
    }
    names = _names(chart, included.values())
    given = _of_drug(chart, [_dose(each, included, names) for each in doses.values()], arguments)
    if not given:
        return nothing_found("The patient was given no such medication.")
    left_out = sum(each.total - len(each.matches) for each in searches)
    return bundle("MedicationAdministration", sorted(given, key=_time, reverse=True), left_out)


@dataclass(frozen=True)
class DrugsFound:
    """All orders or doses of a stay, to be filtered by drug.

    Attributes:
        matches: the Bundle of a search for all of them, in strict shapes.
    """

    matches: Resource

    @cached_property
    def _named(self) -> list[tuple[str, Resource]]:
        """The resources with all names of their drugs."""
        resources = (each["resource"] for each in self.matches["entry"])
        return [(_written(each), each) for each in resources]

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(text for text, _ in self._named)

    def of(self, drug: str) -> Resource | None:
        """The Bundle that a search for a drug finds, without entries if it finds nothing.

        None if only the search can tell, since some resources were left out or two doses are of
        the same time.
        """
        names = [folded(each) for each in _names_of(drug)]
        fitting = {text for text in self._texts if has_word(text, names)}
        matching = [each for text, each in self._named if text in fitting]
        times = [time for each in matching if (time := _time(each))]
        if LEFT_OUT in self.matches or len(set(times)) < len(times):
            return None
        return bundle(self.matches["_fhir_resource_type"], matching)


def _written(resource: Resource) -> str:
    """All names of a resource's drug that the index has."""
    concept = resource.get("medicationCodeableConcept", {})
    codings = concept.get("coding", ())
    named = [each for each in codings if each.get("system", "").endswith(_DRUG_NAMES)]
    return " / ".join([*labels(concept), *(each.get("code", "") for each in named)])


def medication_line(resource: Resource) -> str:
    """An order or a dose in one line."""
    name = label(resource.get("medicationCodeableConcept"))
    words = [each.get("text", "") for each in resource.get("dosageInstruction", ())]
    if dosage := resource.get("dosage"):
        rate = _amount(dosage.get("rateQuantity"))
        given = (_amount(dosage.get("dose")), rate and f"at {rate}", label(dosage.get("route")))
        words.append(" ".join(filter(None, given)))
    if resource.get("status") == _NOT_DONE:
        words = ["not given"]
    status = resource.get("_event_txt") or resource.get("status", "")
    time = _time(resource) or _start(resource)
    return f"{name}: {'; '.join(filter(None, words))} ({status}) @ {time}{_end(resource)}"


def _drug(chart: PatientChart, arguments: Mapping[str, Any]) -> dict[str, str]:
    """In strict shapes a criterion of the drug by its generic and brand names."""
    name = arguments.get("medication")
    if not name or not chart.strict:
        return {}
    return {"code:text": ",".join(map(escaped, _names_of(name)))}


def _names_of(drug: str) -> tuple[str, ...]:
    """The names by which a drug is searched for."""
    return (drug, *also_known_as(drug)[:_MOST_NAMES])


def _given_drug(chart: PatientChart, arguments: Mapping[str, Any]) -> list[dict[str, str]]:
    """Criteria of a given drug: by its own name, and by the orders of it."""
    drug = _drug(chart, arguments)
    if not drug:
        return [{}]
    orders = chart.search("MedicationRequest", drug).matches
    return [drug, *({"request": ids} for ids in _id_lists(each["id"] for each in orders))]


def _of_drug(
    chart: PatientChart, resources: list[Resource], arguments: Mapping[str, Any]
) -> list[Resource]:
    """In published shapes the resources in whose drug's name the searched text stands anywhere."""
    name = arguments.get("medication")
    if not name or chart.strict:
        return resources
    concepts = (each.get("medicationCodeableConcept") for each in resources)
    named = [" / ".join(labels(each)).casefold() for each in concepts]
    return [each for each, names in zip(resources, named, strict=True) if name.casefold() in names]


def _names(chart: PatientChart, orders: Iterable[Resource]) -> dict[str, str]:
    """The drugs' names by reference to a medication, those of mixtures joined."""
    known = _medications(chart, {_medication(each) for each in orders} - {""})
    items = {item for each in known.values() for item in _ingredients(each)}
    parts = _medications(chart, items - known.keys())
    return {reference: _medication_name(each, known | parts) for reference, each in known.items()}


def _medications(chart: PatientChart, references: Iterable[str]) -> dict[str, Resource]:
    """Medications by reference."""
    ids = (each.partition("/")[2] for each in references)
    pages = [chart.search("Medication", {"_id": each}).matches for each in _id_lists(ids)]
    return {reference_to(each): each for part in pages for each in part}


def _id_lists(ids: Iterable[str]) -> list[str]:
    """Ids as values of searches, so many in each that a server takes them."""
    ordered = sorted(ids)
    return [",".join(ordered[start : start + _IDS]) for start in range(0, len(ordered), _IDS)]


def _medication_name(medication: Resource, included: Mapping[str, Resource]) -> str:
    parts = [included[each] for each in _ingredients(medication) if each in included]
    if parts:
        return " / ".join(_medication_name(each, {}) for each in parts)
    names = [
        each["value"]
        for each in medication.get("identifier", ())
        if each.get("system", "").endswith(_DRUG_NAMES)
    ]
    return names[0] if names else label(medication.get("code"))


def _ingredients(resource: Resource) -> list[str]:
    items = (each.get("itemReference", {}) for each in resource.get("ingredient", ()))
    return [each["reference"] for each in items if "reference" in each]


def _medication(resource: Resource) -> str:
    reference: str = resource.get("medicationReference", {}).get("reference", "")
    return reference


def _timings(chart: PatientChart, orders: Iterable[Resource]) -> dict[str, Any]:
    """The timing that the pharmacy has for orders without one, by reference to the order."""
    timings = {}
    untimed = (each["id"] for each in orders if not _instruction_of(each).get("timing"))
    for ids in _id_lists(untimed):
        for each in chart.search("MedicationDispense", {"prescription": ids}).matches:
            for order in each.get("authorizingPrescription", ()):
                timings[order["reference"]] = _instruction_of(each).get("timing")
    return timings


def _instruction_of(resource: Resource) -> Resource:
    """The first dosage instruction of an order or a dispensed drug."""
    return next(iter(resource.get("dosageInstruction", ())), {})


def _order(
    order: Resource,
    names: Mapping[str, str],
    timings: Mapping[str, Any],
    chart: PatientChart,
) -> Resource:
    named = _named(order, names.get(_medication(order), ""))
    period = order.get("dispenseRequest", {}).get("validityPeriod", {})
    if not chart.strict and period.get("start"):
        named["status"] = "completed" if period.get("end") else "active"
    instruction, *rest = order.get("dosageInstruction") or [{}]
    timing = instruction.get("timing") or timings.get(reference_to(order))
    words = instruction if _has_words(order) else _instruction(instruction, timing)
    return {**named, "dosageInstruction": [words, *rest]}


def _has_words(order: Resource) -> bool:
    """True if the drug is named in words, as in written orders; their instructions are too."""
    return "text" in order.get("medicationCodeableConcept", {})


def _instruction(instruction: Resource, timing: Resource | None) -> Resource:
    """A dosage instruction whose text has the dose, the route and the frequency."""
    amounts = [_amount(each.get("doseQuantity")) for each in instruction.get("doseAndRate", ())]
    frequency = label((timing or {}).get("code"))
    words = [*amounts, label(instruction.get("route")), frequency]
    text = " ".join(filter(None, words)) or instruction.get("text", "")
    timed = {"timing": timing} if timing else {}
    return {**instruction, **timed, "text": text}


def _dose(dose: Resource, included: Mapping[str, Resource], names: Mapping[str, str]) -> Resource:
    order = included.get(dose.get("request", {}).get("reference", ""), {})
    drug_name = names.get(_medication(order), "") or label(order.get("medicationCodeableConcept"))
    reasons = [label(each) for each in dose.get("statusReason", ())]
    event = label(dose.get("dosage", {}).get("method")) or next(iter(reasons), "")
    withheld = {"status": _NOT_DONE} if is_withheld(event) else {}
    return {**_named(dose, drug_name), **withheld, **({"_event_txt": event} if event else {})}


def _named(resource: Resource, name: str) -> Resource:
    """A resource whose medication is a concept with a name."""
    concept = resource.get("medicationCodeableConcept", {})
    if not name or concept.get("text"):
        return dict(resource)
    fields = {key: value for key, value in resource.items() if key != "medicationReference"}
    return {**fields, "medicationCodeableConcept": {**concept, "text": name}}


def _start(order: Resource) -> str:
    period = order.get("dispenseRequest", {}).get("validityPeriod", {})
    return period.get("start") or order.get("authoredOn") or ""


def _end(order: Resource) -> str:
    end = order.get("dispenseRequest", {}).get("validityPeriod", {}).get("end")
    return f" to {end}" if end else ""


def _time(dose: Resource) -> str:
    return str(dose.get("effectiveDateTime") or dose.get("effectivePeriod", {}).get("start", ""))


def _amount(quantity: Mapping[str, Any] | None) -> str:
    return f"{quantity.get('value')} {quantity.get('unit', '')}".strip() if quantity else ""
