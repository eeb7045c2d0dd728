"""Facts for clinical scores from a FHIR R4 record, MIMIC-IV's or another one with LOINC codes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE
from wardround.ehr.fhir.mimic.elements import CHART_ITEMS, CODES, ITEMS, LAB_ITEMS, LOINC, Element
from wardround.ehr.scores.facts import (
    Facts,
    Infusion,
    Measure,
    Measurement,
    Order,
    Origin,
    Stay,
    facts_of,
    measured,
    measures,
    measures_by_loinc,
    rate_of,
    vasoactive_items,
)

_PAGE = 1_000
_IDS = 100  # ids in one search
_DATE = len("2150-01-01")
_SYSTEMS: Mapping[str, Origin] = {
    LAB_ITEMS: "lab",
    CHART_ITEMS: "chart",
    ITEMS: "output",
}
_INFUSIONS = CODES + "medication-icu"
_DRUG_NAME = CODES + "medication-name"
_WEIGHT = f"{LOINC}|29463-7"
_VALID = ("final", "corrected", "amended", "preliminary")
# ICD systems of MIMIC-IV, and those of HL7, by version.
_ICD = {
    CODES + "diagnosis-icd9": 9,
    CODES + "diagnosis-icd10": 10,
    "http://hl7.org/fhir/sid/icd-9-cm": 9,
    "http://hl7.org/fhir/sid/icd-10-cm": 10,
    "http://hl7.org/fhir/sid/icd-10": 10,
}


def fhir_facts(
    server: FhirServer,
    subject_id: int | str,
    hadm_id: int | str,
    time: datetime,
    zone: str = HOSPITAL_ZONE,
) -> Facts:
    """The facts of a patient at a time of an admission.

    Args:
        server: answers FHIR requests; if it has its own clock, it hides more, never less.
        subject_id: an identifier of the patient.
        hadm_id: an identifier of the admission.
        time: the time, by the clocks of the zone.
        zone: the hospital's time zone.

    Raises:
        UserError: the record has no such patient or admission, or refuses a search.
    """
    record = _Record.open(server, str(subject_id), str(hadm_id), time, ZoneInfo(zone))
    stay = record.stay()
    return facts_of(
        time,
        stay,
        birth=record.birth(),
        female={"female": True, "male": False}.get(record.patient.get("gender", "")),
        codes=frozenset(record.codes()),
        measurements=record.measurements(stay),
        infusions=record.infusions(),
        orders=record.orders(),
    )


@dataclass(frozen=True)
class _Record:
    """One patient's resources up to a time."""

    server: FhirServer
    patient: Resource
    encounter: Resource
    time: datetime
    zone: ZoneInfo

    @classmethod
    def open(
        cls, server: FhirServer, subject: str, admission: str, time: datetime, zone: ZoneInfo
    ) -> "_Record":
        patients = _searched(server, "Patient", identifier=subject)
        id = patients[0]["id"] if patients else ""
        encounters = _searched(server, "Encounter", patient=id, identifier=admission) if id else []
        if not encounters:
            raise UserError(
                f"The record has no admission {admission} of patient {subject}; check both ids."
            )
        return cls(server, patients[0], encounters[0], time, zone)

    def search(self, type: str, **criteria: str | list[str]) -> list[Resource]:
        return _searched(self.server, type, patient=self.patient["id"], **criteria)

    def stay(self) -> Stay:
        parts = self.search("Encounter", **{"part-of": self.encounter["id"]})
        starts = [self.local(each["period"].get("start")) for each in (self.encounter, *parts)]
        period = self.encounter["period"]
        return Stay(min(start for start in starts if start), self.local(period.get("end")))

    def birth(self) -> date | None:
        day = self.patient.get("birthDate", "")
        return date.fromisoformat(day) if len(day) == _DATE else None

    def codes(self) -> Iterator[tuple[int, str]]:
        """The codes of stays that have ended."""
        ended = set()
        for each in self.search("Encounter"):
            end = self.local(each.get("period", {}).get("end"))
            if end and end <= self.time:
                ended.add(f"Encounter/{each['id']}")
        for condition in self.search("Condition"):
            if _reference(condition.get("encounter")) in ended:
                for each in _codings(condition.get("code")):
                    if version := _ICD.get(each.get("system", "")):
                        yield version, each["code"].replace(".", "")

    def measurements(self, stay: Stay) -> Iterator[Measurement | None]:
        codes = [f"{system}|{item}" for system, o in _SYSTEMS.items() for item in measures(o)]
        codes += [f"{LOINC}|{code}" for code in measures_by_loinc()]
        span = [f"ge{self.instant(stay.start)}", f"le{self.instant(self.time)}"]
        for each in self.search("Observation", code=",".join(codes), date=span):
            yield self.measurement(each)
        for each in self.search("Observation", code=_WEIGHT, date=span[1]):
            yield self.measurement(each)

    def measurement(self, resource: Resource) -> Measurement | None:
        """A resource as a measurement; None if it is not known yet, or not of a measure."""
        written = resource.get("effectiveDateTime", "")
        time, measure = self.local(written), _measure(resource.get("code", {}))
        issue_time = self.local(resource.get("issued")) or time
        if (
            time is None
            or issue_time is None
            or measure is None
            or resource["status"] not in _VALID
        ):
            return None
        if len(written) == _DATE:
            issue_time = time + timedelta(days=1)
        if max(time, issue_time) > self.time:
            return None
        quantity = resource.get("valueQuantity", {})
        words = "" if quantity else resource.get("valueString", "")
        return measured(time, measure, quantity.get("value"), quantity.get("unit"), words)

    def infusions(self) -> Iterator[Infusion]:
        codes = ",".join(f"{_INFUSIONS}|{item}" for item in vasoactive_items())
        encounters = [
            self.encounter,
            *self.search("Encounter", **{"part-of": self.encounter["id"]}),
        ]
        stays = {f"Encounter/{each['id']}" for each in encounters}
        for each in self.search("MedicationAdministration", code=codes):
            period, rate = each.get("effectivePeriod", {}), each.get("dosage", {})
            start, quantity = self.local(period.get("start")), rate.get("rateQuantity", {})
            if start and start <= self.time and _reference(each.get("context")) in stays:
                end = min(self.local(period.get("end")) or self.time, self.time)
                item = _codings(each.get("medicationCodeableConcept"))[0]["code"]
                rate = rate_of(quantity.get("value"), quantity.get("unit"))
                yield Infusion(start, end, item, rate)

    def orders(self) -> Iterator[Order]:
        requests = self.search("MedicationRequest", encounter=self.encounter["id"])
        names = self.medications(requests)
        for each in requests:
            validity = each.get("dispenseRequest", {}).get("validityPeriod", {})
            begin = self.local(each.get("authoredOn")) or self.local(validity.get("start"))
            if begin and begin <= self.time:
                end = min(self.local(validity.get("end")) or self.time, self.time)
                drugs = names.get(_reference(each.get("medicationReference")), [])
                concept = each.get("medicationCodeableConcept")
                for drug in drugs or _concept_names(concept):
                    yield Order(begin, end, " ".join(drug.split()))

    def medications(self, requests: list[Resource]) -> Mapping[str, list[str]]:
        """The names of drugs by reference, those of a mix together."""
        resources: dict[str, Resource] = {}
        missing = {_reference(each.get("medicationReference")) for each in requests} - {""}
        while missing:
            some = sorted(missing)[:_IDS]
            ids = ",".join(reference.partition("/")[2] for reference in some)
            batch = {
                f"Medication/{e['id']}": e for e in _searched(self.server, "Medication", _id=ids)
            }
            resources |= {reference: batch.get(reference, {}) for reference in some}
            parts = {part for each in batch.values() for part in _ingredients(each)}
            missing = (missing | parts) - resources.keys()
        names = {reference: _medication_names(each) for reference, each in resources.items()}
        return {
            reference: [name for part in (reference, *_ingredients(each)) for name in names[part]]
            for reference, each in resources.items()
        }

    def local(self, written: str | None) -> datetime | None:
        """A time by the hospital's clocks; a date is its beginning."""
        if not written:
            return None
        time = datetime.fromisoformat(written)
        return time.astimezone(self.zone).replace(tzinfo=None) if time.tzinfo else time

    def instant(self, local: datetime) -> str:
        return local.replace(tzinfo=self.zone).isoformat(timespec="seconds")


def _measure(code: Element) -> Measure | None:
    """The measure of a code: by MIMIC-IV's item, the name of a visit's value, or LOINC."""
    codings = _codings(code)
    for each in codings:
        if origin := _SYSTEMS.get(each.get("system", "")):
            return measures(origin).get(each["code"])
    if "text" in code and code["text"] in measures("visit"):
        return measures("visit")[code["text"]]
    loinc = (each["code"] for each in codings if each.get("system") == LOINC)
    return next((measures_by_loinc()[c] for c in loinc if c in measures_by_loinc()), None)


def _medication_names(resource: Resource) -> list[str]:
    named = [i["value"] for i in resource.get("identifier", ()) if i.get("system") == _DRUG_NAME]
    return named or _concept_names(resource.get("code"))


def _concept_names(concept: Element | None) -> list[str]:
    """The name of a concept: its text, else a display, else a code that is a name."""
    texts = [concept["text"]] if concept and concept.get("text") else []
    codings = _codings(concept)
    shown = [each["display"] for each in codings if each.get("display")]
    codes = [each["code"] for each in codings if each.get("code")]
    return (texts or shown or codes)[:1]


def _ingredients(resource: Resource) -> list[str]:
    return [_reference(each.get("itemReference")) for each in resource.get("ingredient", ())]


def _codings(concept: Element | None) -> list[Element]:
    return list((concept or {}).get("coding", ()))


def _reference(element: Element | None) -> str:
    return str((element or {}).get("reference", ""))


def _searched(server: FhirServer, type: str, **criteria: str | list[str]) -> list[Resource]:
    """The resources of a search, from all its pages.

    Raises:
        UserError: the record refuses the search.
    """
    query = urlencode({**criteria, "_count": str(_PAGE)}, doseq=True)
    address: str | None = f"{type}?{query}"
    resources: list[Resource] = []
    while address:
        response = server.handle(Request("GET", address))
        body = response.body or {}
        if response.status != 200:
            issue = body.get("issue", [{}])[0].get("diagnostics", response.status)
            raise UserError(f"The record refuses a search for {type}: {issue}")
        resources += [entry["resource"] for entry in body.get("entry", ())]
        links = body.get("link", ())
        address = next((link["url"] for link in links if link["relation"] == "next"), None)
    return resources
