"""Surveys a patient's record through the tools: every finding that a session may ask about.

Source: PhysAssistBench, appendix H (the snapshot with its queryable items).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot
from wardround.authoring.assist.facts.functions import computed
from wardround.authoring.assist.facts.resource_reader import ResourceReader
from wardround.authoring.assist.facts.sources import (
    UNPLACED,
    Briefed,
    Computed,
    Quoted,
    at,
)
from wardround.authoring.assist.wording.wordings import value_words
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.benchmarks.assist.tools.medications import DrugsFound
from wardround.benchmarks.assist.tools.observations import MOST_OBSERVATIONS, ObservationsFound
from wardround.benchmarks.assist.tools.results import is_error
from wardround.ehr.terms.chinese import TermKind, chinese, english, plain
from wardround.ehr.terms.clinical_rules import is_of
from wardround.ehr.terms.result_changes import direction

_MOST = 1_000  # results of a survey of laboratory values or vital signs
_SHOWN = 20  # results that a search shows, so that the last of these is the first of the stay
_HOUR = 3_600  # seconds
_CATEGORIES = ("laboratory", "vital-signs")
_PATIENT_TOOLS = "patient."
_OBSERVATIONS = "Observation.search"
_DRUG_TOOLS = ("MedicationRequest.search", "MedicationAdministration.search")
_VALIDITY = "dispenseRequest.validityPeriod"
_VALUE, _UNIT, _TEST = "valueQuantity.value", "valueQuantity.unit", "code.coding.0.display"
# Tests whose usual range says nothing under a drug that moves them to a target.
_TARGETED = {"inr(pt)": "warfarin", "ptt": "heparin"}
_Level: TypeAlias = Literal["flag", "change", "none"]
_SERVICE = re.compile(r"^Service: *(.+)$", re.MULTILINE)
_VISIT = re.compile(r"^(.+?): *(\d{4}-\d\d-\d\d)$", re.MULTILINE)
_COMPLAINT = re.compile(r"Chief Complaint:\s*\n(.+)")


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

    def result(self, call: PlannedCall) -> Any:
        """The whole result of a call; None if it finds nothing."""
        key = f"{call.tool} {sorted(call.arguments.items())}"
        if key not in self._results:
            found = self._part(call)
            if found is None:
                found = self.desk.read(call.tool, self.arguments(call))
            empty = is_error(found) or not found.get("entry")
            self._results[key] = None if empty else found
        return self._results[key]

    def _part(self, call: PlannedCall) -> Any:
        """The result of a search for one drug or test, taken from the search for all of them.

        A record is then searched once, not once for each drug and test. None if only a search of
        its own can tell.
        """
        named = call.arguments
        if call.tool in _DRUG_TOOLS and named.keys() == {"medication"}:
            if not (whole := self.result(PlannedCall(call.tool, {}))):
                return {}
            found = self._of_drugs.setdefault(call.tool, DrugsFound(whole))
            return found.of(named["medication"])
        if call.tool == _OBSERVATIONS and named.keys() - {"_count"} == {"category", "code"}:
            if not (whole := self.result(_all_of(named["category"]))):
                return {}
            measured = self._of_tests.setdefault(named["category"], ObservationsFound(whole))
            return measured.of(named["code"], named.get("_count", MOST_OBSERVATIONS))
        return None

    def arguments(self, call: PlannedCall) -> dict[str, Any]:
        """The arguments of a call, with the ids that every call of the session has."""
        ids: dict[str, Any] = {"subject_id": self.desk.subject_id}
        if call.tool.startswith(_PATIENT_TOOLS):
            ids["session_id"] = self.desk.session_id
        elif call.tool.endswith(".search"):
            ids["hadm_id"] = self.desk.hadm_id
        return {**ids, **call.arguments}

    def courses(self) -> dict[str, list[float]]:
        """The newest values of every test and vital sign, in the order of time, of one search."""
        found: dict[str, list[float]] = {}
        for category in _CATEGORIES:
            for each in reversed(_entries(self.result(_all_of(category)))):
                test = english(_name(each), "test")
                if test and _is_quantity(each):
                    found.setdefault(test, []).append(float(at(each, _VALUE)))
        return found

    def ages(self) -> dict[str, float]:
        """The hours since the latest result of every test and vital sign."""
        found: dict[str, float] = {}
        wholes = (self.result(_all_of(category)) for category in _CATEGORIES)
        for each in (each for whole in wholes for each in _entries(whole)):
            test = english(_name(each), "test")
            time = each.get("effectiveDateTime")
            if test and time and _is_quantity(each):
                age = self.desk.clock - datetime.fromisoformat(time)
                found.setdefault(test, age.total_seconds() / _HOUR)
        return found

    def hours_given(self, drug: str) -> float:
        """The hours since the first dose of a drug in the stay; 0 without one."""
        call = PlannedCall("MedicationAdministration.search", {"medication": drug})
        doses = [e for e in _entries(self.result(call)) if e.get("status") == "completed"]
        times = [at(e, "effectiveDateTime") or at(e, "effectivePeriod.start") for e in doses]
        first = min((datetime.fromisoformat(e) for e in times if e), default=self.desk.clock)
        return (self.desk.clock - first).total_seconds() / _HOUR

    def ordered_drugs(self) -> list[str]:
        """The drugs of the orders, by their generic names; a mixture has a Chinese name."""
        return self._drugs("MedicationRequest.search")

    def findings(self, about: Collection[Entity]) -> list[Finding]:
        """The findings about tests and drugs, and about the stay and the person.

        All of them can be worded in both languages.
        """
        tests = [each.name for each in about if each.kind == "test"]
        drugs = {each.name for each in about if each.kind == "drug"}
        found = (
            *self._measured("laboratory", tests),
            *self._measured("vital-signs", tests),
            *self._orders(drugs),
            *self._given(drugs),
            *self._diagnosis(),
            *self._stay(),
            *self._report(),
            *self._complaint(),
            *self._plans(),
            *self._person(),
        )
        return [each for each in found if all(_is_worded(slot) for slot in each.slots.values())]

    def values(self, test: str) -> list[tuple[float, str]]:
        """The values of a test in the stay with their units, in the order of time."""
        for category in _CATEGORIES:
            result = self.result(_observation(category, test))
            entries = [_entries(result)[place] for place in reversed(_places(result, test))]
            quantities = [each.get("valueQuantity") for each in entries]
            if entries and all(quantities):
                return [(each["value"], each.get("unit", "")) for each in quantities]
        return []

    def _measured(self, category: str, tests: Sequence[str]) -> Iterator[Finding]:
        """The latest value of each test, and of laboratory tests the first and the course."""
        names = dict.fromkeys(_name(each) for each in _entries(self.result(_all_of(category))))
        recorded = {english(name, "test") for name in names}
        for test in (each for each in tests if each in recorded):
            call = _observation(category, test)
            result = self.result(call)
            places = _places(result, test)
            if places and all(_is_quantity(_entries(result)[place]) for place in places):
                readers = [self._reader(result, place) for place in places]
                yield from _of_test(test, call, readers, self._level(category, test))

    def _level(self, category: str, test: str) -> _Level:
        """What a result of a test says of itself beside its value."""
        if category != "laboratory":
            return "change"
        drug = _TARGETED.get(test)
        is_targeted = drug and any(is_of(each, drug) for each in self.ordered_drugs())
        return "none" if is_targeted else "flag"

    def _orders(self, drugs: Collection[str]) -> Iterator[Finding]:
        for drug in (each for each in self.ordered_drugs() if each in drugs):
            call = PlannedCall("MedicationRequest.search", {"medication": drug})
            result = self.result(call)
            if not _is_of_one_drug(result, drug):
                continue
            read = self._reader(result, 0)
            if not read.is_current(f"{_VALIDITY}.end"):
                continue
            instruction = "dosageInstruction.0"
            quantity = f"{instruction}.doseAndRate.0.doseQuantity"
            begun = self._reader(result, first_of_course(_entries(result)))
            slots = {
                "drug": read.term("medicationCodeableConcept.text", "drug", drug),
                "dose": read.dose(quantity),
                "route": read.coded(f"{instruction}.route.coding.0.code", "route"),
                "day": begun.day(f"{_VALIDITY}.start"),
                "ago": begun.ago(f"{_VALIDITY}.start"),
            }
            frequency = read.coded(f"{instruction}.timing.code.coding.0.code", "frequency")
            if frequency and _is_worded(frequency):
                slots["frequency"] = frequency
            yield from _finding("order", Entity("drug", drug), call, slots)

    def _given(self, drugs: Collection[str]) -> Iterator[Finding]:
        given = self._drugs("MedicationAdministration.search")
        for drug in (each for each in given if each in drugs):
            call = PlannedCall("MedicationAdministration.search", {"medication": drug})
            result = self.result(call)
            done = [n for n, e in enumerate(_entries(result)) if e.get("status") == "completed"]
            if not done or not _is_of_one_drug(result, drug):
                continue
            entity = Entity("drug", drug)
            if done[0] == 0:  # after a withheld dose "the last dose" could mean either
                yield from _finding("given", entity, call, self._reader(result, 0).given(drug))
            if len(done) > 1 and len(_entries(result)) == result["total"]:
                first = self._reader(result, done[-1])
                yield from _finding("first_given", entity, call, first.given(drug))

    def _diagnosis(self) -> Iterator[Finding]:
        """The first-listed diagnosis, which stands in the chart at the end of a stay."""
        yield from self._first_listed("main_diagnosis", PlannedCall("Condition.search", {}))
        if earlier := self._earlier_stay():
            call = PlannedCall("Condition.search", {"hadm_id": earlier})
            yield from self._first_listed("past_diagnosis", call)

    def _earlier_stay(self) -> int | None:
        """The id of the stay before this one."""
        found = self.desk.read("Encounter.search", {"subject_id": self.desk.subject_id})
        stays = [int(at(each, "identifier.0.value")) for each in _entries(found)]
        later = stays.index(self.desk.hadm_id) if self.desk.hadm_id in stays else len(stays)
        return next(iter(stays[later + 1 :]), None)

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
            yield from _finding(kind, Entity("stay"), call, slots)

    def _codes(self, result: Any) -> Slot | None:
        """The codes of all diagnoses."""
        readers = (self._reader(result, number) for number in range(len(_entries(result))))
        codes = [reader.recorded("code.coding.0.code") for reader in readers]
        known = tuple(code for code in codes if code)
        if len(known) < len(codes) or result["total"] > len(codes):
            return None
        return Slot("text", Computed("codes", known, computed("codes", [c.value for c in known])))

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
        yield from _finding("admission", Entity("stay"), call, begin)
        end = {
            "place": read.coded("_mimic.discharge_location", "destination"),
            "day": read.day("period.end"),
            "days": read.function("days", "period.start", "period.end"),
        }
        yield from _finding("destination", Entity("stay"), call, end)

    def _report(self) -> Iterator[Finding]:
        call = PlannedCall("DiagnosticReport.search", {"report_type": "radiology"})
        if not (result := self.result(call)):
            return
        read = self._reader(result, 0)
        slots = {"exam": read.coded("code.text", "service"), "day": read.day("effectiveDateTime")}
        if named := read.mentioned("conclusion", "diagnosis"):
            yield from _finding("report", Entity("report"), call, {**slots, **named})

    def _complaint(self) -> Iterator[Finding]:
        call = PlannedCall("DocumentReference.search", {"type_code": "discharge-summary"})
        if not (result := self.result(call)):
            return
        read = self._reader(result, 0)
        path = "content.0.attachment.data"
        text = str(read.value(path) or "")
        complaint, service = _COMPLAINT.search(text), _SERVICE.search(text)
        if complaint and service:
            slots = {
                "complaint": read.quoted(path, complaint[1].strip(), "complaint"),
                "ward": read.quoted(path, service[1].strip(), "ward"),
                "day": read.day("date"),
                "ago": read.ago("date"),
            }
            yield from _finding("complaint", Entity("note"), call, slots)

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
            yield from _finding("followup", Entity("plan"), call, slots)

    def _person(self) -> Iterator[Finding]:
        call = PlannedCall("Patient.read", {})
        if result := self.result(call):
            read = self._reader(result, 0)
            slots = {"born": read.coded("birthDate", "day")}
            yield from _finding("person", Entity("person"), call, slots)

    def _reader(self, result: Any, entry: int) -> ResourceReader:
        return ResourceReader(result, entry, self.desk.clock.date().isoformat())

    def _drugs(self, tool: str) -> list[str]:
        """The drugs of orders or doses, by their generic names; a mixture has a Chinese name."""
        if tool not in self._named:
            entries = _entries(self.result(PlannedCall(tool, {})))
            names = dict.fromkeys(at(each, "medicationCodeableConcept.text") for each in entries)
            drugs = (drug_of(each) for each in names if each and _FLUSH not in each.casefold())
            known = [each for each in drugs if each]
            worded = (each for each in known if " + " not in each or chinese(each, "drug"))
            self._named[tool] = list(dict.fromkeys(worded))
        return self._named[tool]


def drug_of(name: str) -> str | None:
    """The drug of an order or dose, by its generic name, without the fluid that carries it.

    >>> drug_of("CeftriaXONE / Iso-Osmotic Dextrose"), drug_of("5% Dextrose"), drug_of("penguin")
    ('ceftriaxone', 'dextrose', None)
    """
    whole = english(name, "drug")
    parts = whole.split(" + ") if whole and _WITH in name else []
    drugs = [part for part in parts if part not in _CARRIERS]
    return " + ".join(drugs) if drugs else whole


def first_of_course(orders: Sequence[Any]) -> int:
    """The number of the order that the newest one renews: the same dose, and no day between them.

    >>> days = [("2148-03-30", "2148-04-02"), ("2148-03-28", "2148-03-30"),
    ...         ("2148-03-20", "2148-03-22")]
    >>> first_of_course([{"dispenseRequest": {"validityPeriod": {"start": start, "end": end}}}
    ...                  for start, end in days])
    1
    """
    number = 0
    for before, (newer, older) in enumerate(pairwise(orders), start=1):
        start, end = at(newer, f"{_VALIDITY}.start"), at(older, f"{_VALIDITY}.end")
        if not start or not at(older, f"{_VALIDITY}.start"):
            break
        is_broken = bool(end) and int(computed("days", [end, start])) > 1
        if is_broken or _instruction(newer) != _instruction(older):
            break
        number = before
    return number


def _instruction(order: Any) -> list[Any]:
    """The dose, route and frequency of an order."""
    instruction = "dosageInstruction.0"
    quantity = f"{instruction}.doseAndRate.0.doseQuantity"
    paths = (f"{quantity}.value", f"{quantity}.unit", f"{instruction}.route.coding.0.code",
             f"{instruction}.timing.code.coding.0.code")  # fmt: skip
    return [at(order, path) for path in paths]


_FLUSH = "flush"  # keeps a line open and is not a treatment
# Fluids that carry a drug, and the sign between a drug and its fluid.
_CARRIERS = ("dextrose", "sodium chloride", "lactated ringers")
_WITH = " / "


def _of_test(
    test: str, call: PlannedCall, readers: Sequence[ResourceReader], level: _Level
) -> Iterator[Finding]:
    """The latest value of a test, and of laboratory tests the first and the course in a stay.

    Args:
        test: the test.
        call: the search that finds it.
        readers: its results, the newest first.
        level: what a result says of itself beside its value.
    """
    entity, read, first = Entity("test", test), readers[0], readers[-1]
    latest, newest = _measurement(test, read, level), _newest(call, read)
    if level == "change":
        before = readers[1:2]
        changed = {**latest, "change": _change(test, before[0], read) if before else None}
        found = [
            e for b in before for e in _finding("vital_latest", entity, _newest(call, b), changed)
        ]
        yield from found or _finding("vital_value", entity, newest, latest)
        return
    yield from _finding("lab_latest" if level == "flag" else "vital_value", entity, newest, latest)
    if len(readers) == 1 or len(_entries(read.result)) >= _SHOWN:
        return
    if level == "flag":
        yield from _finding("lab_first", entity, call, _measurement(test, first, level))
    course = {name: latest[name] for name in ("test", "value", "unit") if name in latest}
    both = {"first": first.number(_VALUE), "direction": _change(test, first, read)}
    values = [float(each.value(_VALUE)) for each in reversed(readers)]
    if values[0] != values[-1] and not _has_peak(test, values):
        yield from _finding("lab_course", entity, call, course | both)


def _has_peak(test: str, values: Sequence[float]) -> bool:
    """True if a value between the first and the last is well above or below both.

    >>> _has_peak("potassium", [4.7, 5.6, 4.1]), _has_peak("potassium", [5.6, 4.7, 4.1])
    (True, False)
    """
    ends = values[0], values[-1]
    is_above = direction(test, max(ends), max(values)) == "rise"
    return is_above or direction(test, min(ends), min(values)) == "fall"


def _newest(call: PlannedCall, read: ResourceReader) -> PlannedCall:
    """A call for a result and newer ones only, so that a later turn that asks for all is new."""
    return PlannedCall(call.tool, {**call.arguments, "_count": read.entry + 1})


def _change(test: str, before: ResourceReader, after: ResourceReader) -> Slot | None:
    """The direction from one value to another; None if it could be argued about."""
    ends = [each.recorded(_VALUE) for each in (before, after)]
    named = after.named(_TEST, test)
    of = tuple(each for each in (*ends, named) if each)
    direction = computed("direction", [each.value for each in of]) if len(of) == 3 else ""
    return Slot("direction", Computed("direction", of, direction)) if direction else None


def _measurement(test: str, read: ResourceReader, level: _Level) -> dict[str, Slot | None]:
    slots = {
        "test": read.term(_TEST, "test", test),
        "value": read.number(_VALUE),
        "day": read.day("effectiveDateTime"),
    }
    if unit := read.coded(_UNIT, "unit"):
        slots["unit"] = unit
    if level != "flag":
        return slots
    limits = [read.recorded(f"referenceRange.0.{end}.value") for end in ("low", "high")]
    of = tuple(each for each in (read.recorded(_VALUE), *limits) if each)
    if len(of) < 3:
        return {**slots, "flag": None}
    flag = Computed("flag", of, computed("flag", [each.value for each in of]))
    return {**slots, "flag": Slot("flag", flag)}


def _finding(
    kind: str, entity: Entity, call: PlannedCall, slots: Mapping[str, Slot | None]
) -> Iterator[Finding]:
    """A finding, if the record has all of its values."""
    if all(slots.values()):
        yield Finding(kind, entity, call, {name: slot for name, slot in slots.items() if slot})


def _observation(category: str, test: str) -> PlannedCall:
    return PlannedCall(_OBSERVATIONS, {"category": category, "code": test})


def _all_of(category: str) -> PlannedCall:
    return PlannedCall(_OBSERVATIONS, {"category": category, "_count": _MOST})


def _entries(result: Any) -> Sequence[Any]:
    return [each["resource"] for each in result["entry"]] if result else []


def _name(observation: Any) -> str:
    return str(at(observation, "code.coding.0.display") or "")


def _is_shortened(title: str) -> bool:
    """True if the words for a diagnosis say less than its title, which its code stands for."""
    return value_words(title, "diagnosis", "en") != plain(title).casefold()


def _places(result: Any, test: str) -> list[int]:
    """The numbers of the entries of a test, the newest first; none if they could be mistaken.

    They have one unit and no two have the same time. A search for a name finds tests that have it
    in theirs as well, such as hemoglobin A1c; these need another unit.
    """
    entries = _entries(result)
    places = [n for n, each in enumerate(entries) if english(_name(each), "test") == test]
    units = {at(entries[place], _UNIT) for place in places}
    others = {at(each, _UNIT) for n, each in enumerate(entries) if n not in places}
    times = {entries[place].get("effectiveDateTime") for place in places}
    is_plain = len(units) == 1 and units.isdisjoint(others) and len(times) == len(places)
    return places if is_plain else []


def _is_of_one_drug(result: Any, drug: str) -> bool:
    """True if a search found orders or doses of one drug only, none to flush a line."""
    names = {str(at(each, "medicationCodeableConcept.text")) for each in _entries(result)}
    flushes = any(_FLUSH in name.casefold() for name in names)
    return not flushes and {drug_of(name) for name in names} == {drug}


def _is_quantity(observation: Any) -> bool:
    return isinstance(at(observation, _VALUE), int | float)


def _is_worded(slot: Slot) -> bool:
    """True if a value has words in both languages."""
    return slot.wording not in get_args(TermKind) or bool(
        chinese(str(slot.source.value), slot.wording)  # type: ignore[arg-type]
    )
