"""The three sampling stages: operations, time templates, values of the database (EHRSQL, 3.1.4)."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from wardround.benchmarks.ehrsql.build import (
    QuestionTemplate,
    TimeTag,
    UnanswerableTemplate,
    Value,
    operations_for,
    time_choices,
)
from wardround.benchmarks.ehrsql.making.around import filter_around, reach
from wardround.benchmarks.ehrsql.making.occurrences import History, Occurrence, Source
from wardround.ehr.times import TimeFilter, TimeTemplate, legal
from wardround.ehr.times.holding import holds_between
from wardround.ehr.times.model import SameMoment, SameVisit, Visit

# What a question without an event of its own is about.
_ABOUT = {
    "length_of_icu_stay": "icu",
    "elapsed_icu": "icu",
    "patients_discharged": "discharge",
}
# Such questions are asked of anyone, so that some answers are no: as often as published ones are.
_ASKED_OF_ANYONE = ("has", "been_to", "count", "normal")
_OF_ANYONE = 0.15
_TRIES = 12


@dataclass(frozen=True)
class Slots:
    """What fills the slots of a question."""

    values: Mapping[str, Value]
    operations: Mapping[str, str]
    times: TimeTag


@dataclass
class Pool:
    """What questions are drawn from: what happened, and what of it suits a time template."""

    source: Source
    history: History
    now: datetime
    _fitting: dict[tuple[str, str], Sequence[Occurrence]] = field(default_factory=dict)

    def draw(self, asked: QuestionTemplate, chance: random.Random) -> Slots | None:
        """The slots of a question that is likely to have an answer; None where none is found."""
        schema = self.source.schema
        operations = {s: chance.choice(operations_for(s, schema)).name for s in asked.operations}
        chosen = chance.choice(time_choices(asked.times))
        if asked.form == "abbreviation":
            names = self.history.abbreviations
            known = {"abbreviation": chance.choice(names)} if names else None
            return Slots(known, {}, TimeTag()) if known else None
        for _ in range(_TRIES):
            slots = self._drawn(asked, operations, chosen, chance)
            if slots and legal(slots.times, self.now):
                return slots
        return None

    def draw_unanswerable(self, asked: UnanswerableTemplate, chance: random.Random) -> Slots:
        """The slots of a question that has no answer: values of the database all the same."""
        chosen = chance.choice(time_choices(asked.times))
        admission = chance.choice(self.history.events["admission"])
        filters = {
            slot: filter_around(template, admission.time, self.now, chance)
            for slot, template in chosen.items()
        }
        values = {slot: self._any_value(slot, admission, chance) for slot in asked.values}
        return Slots(values, {}, TimeTag(**filters))

    def fitting(self, kind: str, template: TimeTemplate | None) -> Sequence[Occurrence]:
        """The events of a kind that a filter of the template can let through."""
        key = (kind, template.id if template else "")
        if key not in self._fitting:
            events = self.history.events.get(kind, ())
            self._fitting[key] = self._suiting(events, template) if template else events
        return self._fitting[key]

    def _suiting(
        self, events: Sequence[Occurrence], template: TimeTemplate
    ) -> Sequence[Occurrence]:
        if isinstance(template.meaning, Visit):
            visits = self.history.visits[template.meaning.stay, template.meaning.which]
            if template.meaning.stay == "hospital":
                return [event for event in events if event.stay in visits]
            return [event for event in events if event.unit is None or event.unit in visits]
        start, end = reach(template, self.now)
        first = bisect_left(events, start, key=attrgetter("time"))
        return events[first : bisect_right(events, end, key=attrgetter("time"))]

    def _drawn(
        self,
        asked: QuestionTemplate,
        operations: Mapping[str, str],
        chosen: Mapping[str, TimeTemplate],
        chance: random.Random,
    ) -> Slots | None:
        kind = asked.event or _ABOUT.get(asked.form, "admission")
        slot = "global2" if asked.form == "names_new" else "global1"
        events = self.fitting(kind, chosen.get(slot))
        if not events:
            return None
        first = chance.choice(events)
        second = self._second(asked, first, chosen, chance)
        filters = self._filters(chosen, first, second, chance)
        if filters is None or (_needs_second(asked) and second is None):
            return None
        if "within" in filters and second and not _within(filters["within"], first, second):
            return None
        values = {
            slot: self._value(slot, asked, first, second or first, operations, chance)
            for slot in asked.values
        }
        if any(value is None for value in values.values()):
            return None
        return Slots(
            {s: v for s, v in values.items() if v is not None}, operations, TimeTag(**filters)
        )

    def _second(
        self,
        asked: QuestionTemplate,
        first: Occurrence,
        chosen: Mapping[str, TimeTemplate],
        chance: random.Random,
    ) -> Occurrence | None:
        """Another event of the person: the one that follows, or the later of two values."""
        within = chosen.get("within")
        together = within is not None and isinstance(within.meaning, SameMoment)
        if not _needs_second(asked):
            return None
        events = self.history.of_person.get((asked.then or asked.event, first.person), ())
        if together:
            found = [e for e in events if e.time == first.time and e.label != first.label]
        elif "exact2" in chosen:
            found = [e for e in events if e.time > first.time and e.label == first.label]
        else:
            found = [e for e in events if e.time > first.time]
            if within is not None and isinstance(within.meaning, SameVisit):
                found = [e for e in found if e.stay == first.stay]
            elif within is not None and (
                soon := filter_around(within, first.time, self.now, chance)
            ):
                found = [e for e in found if holds_between(soon, first.time, e.time)] or found
        return chance.choice(found) if found else None

    def _filters(
        self,
        chosen: Mapping[str, TimeTemplate],
        first: Occurrence,
        second: Occurrence | None,
        chance: random.Random,
    ) -> dict[str, TimeFilter] | None:
        filters: dict[str, TimeFilter] = {}
        for slot, template in chosen.items():
            event = (second or first) if slot in ("global2", "exact2") else first
            filter = filter_around(template, event.time, self.now, chance)
            if filter is None:
                return None
            filters[slot] = filter
        if chosen.get("global1") is chosen.get("global2") and "global1" in filters:
            filters["global2"] = filters["global1"]
        return filters

    def _value(
        self,
        slot: str,
        asked: QuestionTemplate,
        first: Occurrence,
        second: Occurrence,
        operations: Mapping[str, str],
        chance: random.Random,
    ) -> Value | None:
        match slot:
            case "patient_id":
                if asked.form == "has_elsewhere":
                    return self._in_hospital_now(first, chance)
                of_anyone = asked.form.startswith(_ASKED_OF_ANYONE)
                if of_anyone and chance.random() < _OF_ANYONE:
                    return chance.choice(self.history.persons)
                return first.person
            case "gender":
                return self.history.genders.get(second.person)
            case "drug_route" | "admission_route":
                return first.route
            case "lab_value":
                return first.value
            case "vital_value":
                return self._beyond(first, operations["comparison"], chance)
            case "drug_name2" if not _needs_second(asked):
                return chance.choice(self.fitting("drug", None)).label
            case "drug_name3":
                return chance.choice(self.fitting("drug", None)).label
            case "ward_id":
                return int(first.label) if first.label and first.label.isdigit() else None
        return second.label if slot == self._names_second(asked) else first.label

    def _names_second(self, asked: QuestionTemplate) -> str:
        """The slot that the second of two events is named by, "" where there is none."""
        if asked.form == "time_of_both":
            return "drug_name2"
        slots = [
            self.source.records.events[kind].slot for kind in (asked.event, asked.then) if kind
        ]
        return asked.then_named_by or (slots[1] if len({*slots}) == 2 else "")

    def _in_hospital_now(self, event: Occurrence, chance: random.Random) -> Value | None:
        """The event's patient, who may have been elsewhere before, or anyone there now."""
        stays = self.history.stays.values()
        staying = list(dict.fromkeys(stay.parent for stay in stays if stay.end is None))
        if event.person in staying:
            return event.person
        return chance.choice(staying) if staying else None

    def _beyond(self, event: Occurrence, comparison: str, chance: random.Random) -> float | None:
        """A value that the event's lies beyond: another of that vital sign."""
        if event.value is None:
            return None
        others = chance.choices(self.fitting("vital", None), k=100)
        values = [o.value for o in others if o.label == event.label and o.value is not None]
        wanted = [
            v for v in values if (v < event.value if comparison == "greater" else v > event.value)
        ]
        return wanted[0] if wanted else None

    def _any_value(self, slot: str, admission: Occurrence, chance: random.Random) -> Value:
        if slot == "patient_id":
            return admission.person
        named = slot.rstrip("123")
        kinds = [kind for kind, e in self.source.records.events.items() if e.slot == named]
        labels = [e for e in self.fitting(kinds[0], None) if e.label]
        return chance.choice(labels).label or ""


def _needs_second(asked: QuestionTemplate) -> bool:
    """Whether two events of one person are asked about."""
    two_kinds = asked.then and asked.form != "difference_of_totals"
    return bool(two_kinds or asked.exact2 or asked.form == "time_of_both")


def _within(filter: TimeFilter, first: Occurrence, second: Occurrence) -> bool:
    if isinstance(filter.template.meaning, SameVisit):
        return first.stay == second.stay
    return holds_between(filter, first.time, second.time)
