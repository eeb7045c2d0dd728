"""Surveys a patient's record through the tools: every finding that a session may ask about.

Source: PhysAssistBench, appendix H (the snapshot with its queryable items).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, get_args

from wardround.authoring.assist.facts.drug_entries import (
    FREQUENCY,
    VALIDITY,
    drug_of,
    first_of_course,
    is_contradicted,
    is_flush,
    is_given_twice,
    is_in_force,
    is_lapsed,
    is_maybe_broken,
    is_of_one_drug,
    is_single_dose,
    is_slow_release_too_often,
)
from wardround.authoring.assist.facts.findings import (
    UNASKED,
    Entity,
    Finding,
    PlannedCall,
    Slot,
    complete_finding,
    result_search,
)
from wardround.authoring.assist.facts.functions import computed
from wardround.authoring.assist.facts.measured_tests import (
    VALUE,
    Level,
    entry_numbers,
    is_quantity,
    measured_findings,
    name_of_test,
)
from wardround.authoring.assist.facts.resource_reader import ResourceReader
from wardround.authoring.assist.facts.sources import (
    UNPLACED,
    Briefed,
    Computed,
    Quoted,
    at,
    entries_of,
)
from wardround.authoring.assist.wording.wordings import value_words
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.benchmarks.assist.tools.medications import DrugsFound
from wardround.benchmarks.assist.tools.observations import MOST_OBSERVATIONS, ObservationsFound
from wardround.benchmarks.assist.tools.results import is_error
from wardround.ehr.terms.chinese import TermKind, chinese, english, plain
from wardround.ehr.terms.clinical_rules import groups_of, is_of
from wardround.ehr.terms.result_limits import result_limits

_MOST = 1_000  # results of a survey of laboratory values or vital signs
_HOUR = 3_600  # seconds
_SIGNS = "vital-signs"
_CATEGORIES = ("laboratory", _SIGNS)
# A vital sign shows nothing after so many times the hours within which it may change a dose.
_OLD = 2
_PATIENT_TOOLS = "patient."
_OBSERVATIONS = "Observation.search"
_DRUG_TOOLS = ("MedicationRequest.search", "MedicationAdministration.search")
# Tests that a drug moves to a target, where the usual range does not apply, with the upper end of
# the usual target.
_TARGETED = {"inr(pt)": ("warfarin", 3.0), "ptt": ("heparin", 100.0)}
_SERVICE = re.compile(r"^Service: *(.+)$", re.MULTILINE)
_VISIT = re.compile(r"^(.+?): *(\d{4}-\d\d-\d\d)$", re.MULTILINE)
_COMPLAINT = re.compile(r"Chief Complaint:\s*\n(.+)")
_ALLERGIES = re.compile(r"^Allergies: *\n?(.+)$", re.MULTILINE)
_SUMMARIES = PlannedCall("DocumentReference.search", {"type_code": "discharge-summary"})
_TEXT = "content.0.attachment.data"


@dataclass
class Survey:
    """The results of gold calls about one patient, each call made once.

    Attributes:
        desk: carries out the calls.
    """

    desk: Desk
    _results: dict[str, Any] = field(default_factory=dict)
    _named: dict[str, list[str]] = field(default_factory=dict)
    _of_drugs: dict[str, DrugsFound] = field(default_factory=dict)
    _of_tests: dict[str, ObservationsFound] = field(default_factory=dict)
    _tested: dict[str, list[tuple[str | None, Any]]] = field(default_factory=dict)

    def result(self, call: PlannedCall) -> Any:
        """The whole result of a call; None if it finds nothing."""
        key = f"{call.tool} {sorted(call.arguments.items())}"
        if key not in self._results:
            result = self._part(call)
            if result is None:
                result = self.desk.read(call.tool, self.arguments(call))
            empty = is_error(result) or not result.get("entry")
            self._results[key] = None if empty else result
        return self._results[key]

    def returned(self, call: PlannedCall) -> Any:
        """The result of a call, also of one that finds nothing."""
        return self.result(call) or self.desk.read(call.tool, self.arguments(call))

    def _part(self, call: PlannedCall) -> Any:
        """The result of a search for one drug or test, taken from the search for all of them.

        A record is then searched once, not once for each drug and test. None if only a search of
        its own can tell.
        """
        named = call.arguments
        if call.tool in _DRUG_TOOLS and named.keys() == {"medication"}:
            if not (whole := self.result(PlannedCall(call.tool, {}))):
                return {}
            drugs = self._of_drugs.setdefault(call.tool, DrugsFound(whole))
            return drugs.of(named["medication"])
        if call.tool == _OBSERVATIONS and named.keys() - {"_count"} == {"category", "code"}:
            if not (whole := self.result(_all_of(named["category"]))):
                return {}
            tests = self._of_tests.setdefault(named["category"], ObservationsFound(whole))
            return tests.of(named["code"], named.get("_count", MOST_OBSERVATIONS))
        return None

    def arguments(self, call: PlannedCall) -> dict[str, Any]:
        """The arguments of a call, with the ids that it has unless it leaves one out."""
        ids: dict[str, Any] = {"subject_id": self.desk.subject_id}
        if call.tool.startswith(_PATIENT_TOOLS):
            ids["session_id"] = self.desk.session_id
        elif call.tool.endswith(".search"):
            ids["hadm_id"] = self.desk.hadm_id
        given = {**ids, **call.arguments}
        return {name: value for name, value in given.items() if value is not None}

    def courses(self) -> dict[str, list[float]]:
        """The newest values of every test and vital sign, in the order of time, of one search."""
        values: dict[str, list[float]] = {}
        for category in _CATEGORIES:
            for test, each in reversed(self._named_results(category)):
                if test and is_quantity(each):
                    values.setdefault(test, []).append(float(at(each, VALUE)))
        return values

    def ages(self) -> dict[str, float]:
        """The hours since the latest result of every test and vital sign."""
        ages: dict[str, float] = {}
        for category in _CATEGORIES:
            for test, each in self._named_results(category):
                time = each.get("effectiveDateTime")
                if test and test not in ages and time and is_quantity(each):
                    age = self.desk.clock - datetime.fromisoformat(time)
                    ages[test] = age.total_seconds() / _HOUR
        return ages

    def timed(self, test: str) -> list[tuple[datetime, float]]:
        """The values of a laboratory test with their times, in the order of time."""
        return [
            (datetime.fromisoformat(each["effectiveDateTime"]), float(at(each, VALUE)))
            for name, each in reversed(self._named_results("laboratory"))
            if name == test and each.get("effectiveDateTime") and is_quantity(each)
        ]

    def _named_results(self, category: str) -> list[tuple[str | None, Any]]:
        """All results of a category, each with the English name of its test, the newest first.

        A vital sign that nobody measured lately shows nothing of a patient, so it has none.
        """
        if category not in self._tested:
            results = entries_of(self.result(_all_of(category)))
            named = [(english(name_of_test(e), "test"), e) for e in results]
            old = self._old_signs(named) if category == _SIGNS else set()
            self._tested[category] = [(test, e) for test, e in named if test not in old]
        return self._tested[category]

    def _old_signs(self, named: Sequence[tuple[str | None, Any]]) -> set[str | None]:
        """The vital signs whose latest result shows nothing any more."""
        newest = dict(reversed([(test, each.get("effectiveDateTime")) for test, each in named]))
        return {test for test, time in newest.items() if test and time and self._is_old(test, time)}

    def _is_old(self, sign: str, time: str) -> bool:
        limits = result_limits().get(sign)
        age = self.desk.clock - datetime.fromisoformat(time)
        return limits is not None and age.total_seconds() / _HOUR > _OLD * limits.recent

    def hours_given(self, drug: str) -> float:
        """The hours since the first dose of a drug in the stay; 0 without one."""
        return max(self.hours_since_doses(drug), default=0)

    def hours_since_doses(self, drug: str) -> list[float]:
        """The hours since each dose of a drug that was given in the stay."""
        call = PlannedCall("MedicationAdministration.search", {"medication": drug})
        doses = [e for e in entries_of(self.result(call)) if e.get("status") == "completed"]
        times = [at(e, "effectiveDateTime") or at(e, "effectivePeriod.start") for e in doses]
        ago = (self.desk.clock - datetime.fromisoformat(each) for each in times if each)
        return [each.total_seconds() / _HOUR for each in ago]

    def is_given_too_often(self, drug: str) -> bool:
        """True if two doses of a drug are too near, or a slow release form is of too many a day."""
        hours = self.hours_since_doses(drug)
        return is_given_twice(hours) or is_slow_release_too_often(
            self._orders_in_force(drug), hours
        )

    def is_lapsed(self, drug: str) -> bool:
        """True if a drug was given in the stay by a schedule, but not for days."""
        return is_lapsed(self._orders_in_force(drug), self.hours_since_doses(drug))

    def _orders_in_force(self, drug: str) -> list[Any]:
        call = PlannedCall("MedicationRequest.search", {"medication": drug})
        orders = entries_of(self.result(call))
        return [each for each in orders if self._goes_on(each)]

    def _goes_on(self, order: Any) -> bool:
        """True if an order is in force, or was until the discharge, which ends all of them."""
        if is_in_force(order, self.desk.clock):
            return True
        end, stays = at(order, f"{VALIDITY}.end"), self.result(PlannedCall("Encounter.search", {}))
        discharges = [at(each, "period.end") for each in entries_of(stays)[:1]]
        return any(each and end and _is_same_time(each, end) for each in discharges)

    def is_allergic_to(self, drug: str) -> bool:
        """True if a discharge summary names a drug or a class of it among the allergies."""
        summaries = entries_of(self.result(_SUMMARIES))
        texts = (str(at(each, _TEXT) or "") for each in summaries)
        named = " ".join(line.casefold() for text in texts for line in _ALLERGIES.findall(text))
        return any(group in named for group in groups_of(drug) if group)

    def ordered_drugs(self) -> list[str]:
        """The drugs of the orders, by their generic names; a mixture has a Chinese name."""
        return self._drugs("MedicationRequest.search")

    def findings(self, about: Collection[Entity]) -> list[Finding]:
        """The findings about tests and drugs, and about the stay and the person.

        All of them can be worded in both languages.
        """
        tests = [each.name for each in about if each.kind == "test"]
        drugs = {each.name for each in about if each.kind == "drug"}
        findings = (
            *self._measured("laboratory", tests),
            *self._measured(_SIGNS, tests),
            *self._orders(drugs),
            *self._given(drugs),
            *self._diagnosis(),
            *self._stay(),
            *self._report(),
            *self._complaint(),
            *self._plans(),
            *self._person(),
        )
        return [each for each in findings if all(_is_worded(slot) for slot in each.slots.values())]

    def values(self, test: str) -> list[tuple[float, str]]:
        """The values of a test in the stay with their units, in the order of time."""
        for category in _CATEGORIES:
            result = self.result(result_search(category, test))
            numbers = reversed(entry_numbers(result, test))
            entries = [entries_of(result)[number] for number in numbers]
            quantities = [each.get("valueQuantity") for each in entries]
            if entries and all(quantities):
                return [(each["value"], each.get("unit", "")) for each in quantities]
        return []

    def _measured(self, category: str, tests: Sequence[str]) -> Iterator[Finding]:
        """The latest value of each test, and of laboratory tests the first and the course."""
        recorded = {test for test, _ in self._named_results(category)}
        for test in (each for each in tests if each in recorded):
            call = result_search(category, test)
            result = self.result(call)
            numbers = entry_numbers(result, test)
            if numbers and all(is_quantity(entries_of(result)[number]) for number in numbers):
                readers = [self._reader(result, number) for number in numbers]
                level = self._level(category, test, float(readers[0].value(VALUE)))
                yield from measured_findings(test, call, readers, level)

    def _level(self, category: str, test: str, latest: float) -> Level:
        """The judgement that results of a test carry beside their values, by the latest value."""
        if category != "laboratory":
            return "change"
        drug, end = _TARGETED.get(test, ("", 0.0))
        if not drug or not any(is_of(each, drug) for each in self.ordered_drugs()):
            return "flag"
        return "none" if latest <= end else "latest flag"

    def _orders(self, drugs: Collection[str]) -> Iterator[Finding]:
        """The latest order of each drug, asked for or not, if only the discharge has ended it."""
        for drug in (each for each in self.ordered_drugs() if each in drugs):
            call = PlannedCall("MedicationRequest.search", {"medication": drug})
            result = self.result(call)
            if not is_of_one_drug(result, drug):
                continue
            read = self._reader(result, 0)
            newest = entries_of(result)[0]
            if not self._goes_on(newest):
                continue
            instruction = "dosageInstruction.0"
            quantity = f"{instruction}.doseAndRate.0.doseQuantity"
            begun = self._reader(result, first_of_course(entries_of(result)))
            slots = {
                "drug": read.term("medicationCodeableConcept.text", "drug", drug),
                "dose": read.dose(quantity),
                "route": read.coded(f"{instruction}.route.coding.0.code", "route"),
                "day": begun.day(f"{VALIDITY}.start"),
                "ago": begun.ago(f"{VALIDITY}.start"),
            }
            frequency = read.coded(FREQUENCY, "frequency")
            if frequency and _is_worded(frequency):
                slots["frequency"] = frequency
            doses = entries_of(
                self.result(PlannedCall("MedicationAdministration.search", {"medication": drug}))
            )
            is_unclear = is_maybe_broken(entries_of(result)) or is_contradicted(newest, doses)
            kind = UNASKED if is_single_dose(newest) or is_unclear else "order"
            yield from complete_finding(kind, Entity("drug", drug), call, slots)

    def _given(self, drugs: Collection[str]) -> Iterator[Finding]:
        given = self._drugs("MedicationAdministration.search")
        for drug in (each for each in given if each in drugs):
            call = PlannedCall("MedicationAdministration.search", {"medication": drug})
            result = self.result(call)
            done = [n for n, e in enumerate(entries_of(result)) if e.get("status") == "completed"]
            if not done or not is_of_one_drug(result, drug):
                continue
            entity = Entity("drug", drug)
            if done[0] == 0:  # after a withheld dose "the last dose" could mean either
                yield from complete_finding(
                    "given", entity, call, self._reader(result, 0).given(drug)
                )
            if len(done) > 1 and len(entries_of(result)) == result["total"]:
                first = self._reader(result, done[-1])
                yield from complete_finding("first_given", entity, call, first.given(drug))

    def _diagnosis(self) -> Iterator[Finding]:
        """The first-listed diagnosis, which stands in the chart at the end of a stay."""
        yield from self._first_listed("main_diagnosis", PlannedCall("Condition.search", {}))
        # Nothing in a session tells the id of another stay, so all stays are searched. That finds
        # the diagnoses of one alone where there is one other, and this one has none yet.
        every = PlannedCall("Condition.search", {"hadm_id": None})
        stays = {at(each, "encounter.reference") for each in entries_of(self.result(every))}
        if len(stays) == 1 and not self.result(PlannedCall("Condition.search", {})):
            yield from self._first_listed("past_diagnosis", every)

    def _first_listed(self, kind: str, call: PlannedCall) -> Iterator[Finding]:
        if result := self.result(call):
            read, title = self._reader(result, 0), "code.coding.0.display"
            if _is_shortened(str(read.value(title))):
                return
            slots = {
                "diagnosis": read.coded(title, "diagnosis"),
                "code": read.coded("code.coding.0.code", "text"),
                "count": read.total(),
            }
            if kind == "main_diagnosis" and (codes := self._codes(result)):
                slots["codes"] = codes
            yield from complete_finding(kind, Entity("stay"), call, slots)

    def _codes(self, result: Any) -> Slot | None:
        """The codes of all diagnoses."""
        readers = (self._reader(result, number) for number in range(len(entries_of(result))))
        codes = [reader.recorded("code.coding.0.code") for reader in readers]
        present_codes = tuple(code for code in codes if code)
        if len(present_codes) < len(codes) or result["total"] > len(codes):
            return None
        return Slot(
            "text",
            Computed("codes", present_codes, computed("codes", [c.value for c in present_codes])),
        )

    def _stay(self) -> Iterator[Finding]:
        call = PlannedCall("Encounter.search", {})
        if not (result := self.result(call)):
            return
        read = self._reader(result, 0)
        begin = {
            "day": read.day("period.start"),
            "admission": read.coded("_mimic.admission_type", "admission"),
            "origin": read.coded("_mimic.admission_location", "origin"),
            "ago": read.ago("period.start"),
        }
        yield from complete_finding("admission", Entity("stay"), call, begin)
        end = {
            "place": read.coded("_mimic.discharge_location", "destination"),
            "day": read.day("period.end"),
            "days": read.function("days", "period.start", "period.end"),
        }
        yield from complete_finding("destination", Entity("stay"), call, end)

    def _report(self) -> Iterator[Finding]:
        call = PlannedCall("DiagnosticReport.search", {"report_type": "radiology"})
        if not (result := self.result(call)):
            return
        read = self._reader(result, 0)
        slots = {"exam": read.coded("code.text", "service"), "day": read.day("effectiveDateTime")}
        if named := read.mentioned("conclusion", "diagnosis"):
            yield from complete_finding("report", Entity("report"), call, {**slots, **named})

    def _complaint(self) -> Iterator[Finding]:
        call = _SUMMARIES
        if not (result := self.result(call)):
            return
        read, path = self._reader(result, 0), _TEXT
        text = str(read.value(path) or "")
        complaint, service = _COMPLAINT.search(text), _SERVICE.search(text)
        if complaint and service:
            slots = {
                "complaint": read.quoted(path, complaint[1].strip(), "complaint"),
                "ward": read.quoted(path, service[1].strip(), "ward"),
                "day": read.day("date"),
                "ago": read.ago("date"),
            }
            yield from complete_finding("complaint", Entity("note"), call, slots)

    def _plans(self) -> Iterator[Finding]:
        """The next visit of the discharge plan."""
        call = PlannedCall("CarePlan.search", {"category": "followup"})
        if not (result := self.result(call)):
            return
        read, path = self._reader(result, 0), "description"
        visits = _VISIT.findall(str(read.value(path) or ""))
        for clinic, day in sorted(visits, key=lambda visit: visit[1])[:1]:
            on = Quoted(UNPLACED, UNPLACED, read.id(), read.path(path), day, day)
            now = Briefed("date", read.today)
            days = computed("days", [read.today, day])
            slots = {
                "clinic": read.quoted(path, clinic, "clinic"),
                "day": Slot("day", on),
                "days": Slot("number", Computed("days", (now, on), days)),
            }
            yield from complete_finding("followup", Entity("plan"), call, slots)

    def _person(self) -> Iterator[Finding]:
        call = PlannedCall("Patient.read", {})
        if result := self.result(call):
            read = self._reader(result, 0)
            slots = {"born": read.coded("birthDate", "day")}
            yield from complete_finding("person", Entity("person"), call, slots)

    def _reader(self, result: Any, entry: int) -> ResourceReader:
        return ResourceReader(result, entry, self.desk.clock.date().isoformat())

    def _drugs(self, tool: str) -> list[str]:
        """The drugs of orders or doses, by their generic names; a mixture has a Chinese name."""
        if tool not in self._named:
            entries = entries_of(self.result(PlannedCall(tool, {})))
            names = dict.fromkeys(at(each, "medicationCodeableConcept.text") for each in entries)
            drugs = (drug_of(each) for each in names if each and not is_flush(str(each)))
            named_drugs = [each for each in drugs if each]
            worded = (each for each in named_drugs if " + " not in each or chinese(each, "drug"))
            self._named[tool] = list(dict.fromkeys(worded))
        return self._named[tool]


def _is_same_time(one: str, other: str) -> bool:
    return datetime.fromisoformat(one) == datetime.fromisoformat(other)


def person_of(survey: Survey) -> tuple[Briefed, Briefed]:
    """The patient's age on the day of the session, and sex."""
    person = survey.result(PlannedCall("Patient.read", {}))["entry"][0]["resource"]
    age = computed("age", [person["birthDate"], survey.desk.clock.date().isoformat()])
    return Briefed("age", age), Briefed("sex", person["gender"])


def _all_of(category: str) -> PlannedCall:
    return PlannedCall(_OBSERVATIONS, {"category": category, "_count": _MOST})


def _is_shortened(title: str) -> bool:
    """True if the words for a diagnosis say less than its title, which its code stands for."""
    return value_words(title, "diagnosis", "en") != plain(title).casefold()


def _is_worded(slot: Slot) -> bool:
    """True if a value has words in both languages."""
    return slot.wording not in get_args(TermKind) or bool(
        chinese(str(slot.source.value), slot.wording)  # type: ignore[arg-type]
    )
