"""Draws values for a question's slots from events of the records (Lee et al. 2022, 3.1.4)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround.authoring.ehrsql.questions.history import EventPool, Occurrence
from wardround.authoring.ehrsql.questions.template_choice import Chosen
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    Slots,
    TimeTag,
    Value,
    time_choices,
)
from wardround.ehr.times import TimeFilter, TimeTemplate, is_legal
from wardround.ehr.times.filter_evaluation import accepts_pair
from wardround.ehr.times.model import Moment, SameMoment, SameVisit
from wardround.ehr.times.random_filters import filter_around

# Forms that may be about any patient, so that some answers are "no".
_ASKED_OF_ANYONE = ("has", "been_to", "count", "normal")
_OF_ANYONE = 0.15
# Draws for the bound of a comparison with a vital sign.
_BOUND_DRAWS = 100

# The kind of event for forms whose template names none.
_ABOUT = {"length_of_icu_stay": "icu", "elapsed_icu": "icu", "patients_discharged": "discharge"}
_TRIES = 12


@dataclass(frozen=True)
class Draw:
    """A draw of one question's values and times, for chosen operations and time templates."""

    pool: EventPool
    template: QuestionTemplate
    chosen: Chosen
    chance: random.Random

    def slots(self) -> Slots | None:
        """Returns slots of a question that probably has an answer; None after `_TRIES` tries."""
        if self.template.form == "abbreviation":
            names = self.pool.history.abbreviations
            return Slots({"abbreviation": self.chance.choice(names)}) if names else None
        for _ in range(_TRIES):
            slots = self._attempt()
            if slots and is_legal(slots.times, self.pool.now):
                return slots
        return None

    def _attempt(self) -> Slots | None:
        first = self._first()
        second = self._second(first) if first and needs_second(self.template) else first
        if first is None or second is None:
            return None
        filters = self._filters(first, second)
        if filters is None or not _within(filters.get("within"), first, second):
            return None
        if not self._has_distinct_moments(first, second):
            return None
        event_values = EventValues(self.pool, self.template, self.chosen.operations, first, second)
        values = event_values.draw(self.chance)
        tag = TimeTag(**filters)
        return None if values is None else Slots(values, self.chosen.operations, tag)

    def _first(self) -> Occurrence | None:
        """Draws the event that the question is about; for groups, draws the label first."""
        kind = self.template.event or _ABOUT.get(self.template.form) or self.pool.usual_kind
        slot = "global2" if self.template.form == "names_new" else "global1"
        template = self.chosen.times.get(slot)
        events = self.pool.suiting(kind, template)
        if events and self.template.scope != "single":
            events = self.chance.choice(self.pool.labelled(kind, template))
        return self.chance.choice(events) if events else None

    def _second(self, first: Occurrence) -> Occurrence | None:
        """Draws the same person's second event, after or with the first."""
        kind, within = self.template.then or self.template.event, self.chosen.times.get("within")
        events = self.pool.history.of_person.get((kind, first.person), ())
        later = [event for event in events if event.time > first.time]
        if within is not None and isinstance(within.meaning, SameMoment):
            later = [e for e in events if e.time == first.time and e.label != first.label]
        elif "exact2" in self.chosen.times:
            later = [event for event in later if event.label == first.label]
        elif within:
            later = self._soon(within, first, later)
        return self.chance.choice(later) if later else None

    def _soon(
        self, within: TimeTemplate, first: Occurrence, later: Sequence[Occurrence]
    ) -> list[Occurrence]:
        """Later events that the `within` filter accepts; all later events if it accepts none."""
        if isinstance(within.meaning, SameVisit):
            return [event for event in later if event.stay == first.stay is not None]
        filter = filter_around(within, first.time, self.pool.now, self.chance)
        soon = [e for e in later if filter and accepts_pair(filter, first.time, e.time)]
        return soon or list(later)

    def _filters(self, first: Occurrence, second: Occurrence) -> dict[str, TimeFilter] | None:
        times, filters = self.chosen.times, dict[str, TimeFilter]()
        for slot, template in times.items():
            event = second if slot in ("global2", "exact2") else first
            filter = filter_around(template, event.time, self.pool.now, self.chance)
            if filter is None:
                return None
            filters[slot] = filter
        if times.get("global1") is times.get("global2") and "global1" in filters:
            filters["global2"] = filters["global1"]
        return filters

    def _has_distinct_moments(self, first: Occurrence, second: Occurrence) -> bool:
        """True if each exact moment in the question has a single value of the measurement."""
        if not any(isinstance(time.meaning, Moment) for time in self.chosen.times.values()):
            return True
        of_person = self.pool.history.of_person[self.template.event, first.person]
        moments = [(event.time, event.label) for event in of_person]
        return all(moments.count((event.time, event.label)) == 1 for event in (first, second))


def unanswerable_slots(pool: EventPool, question: QuestionTemplate, chance: random.Random) -> Slots:
    """Draws the slots of an unanswerable question, with values of the database."""
    chosen = chance.choice(time_choices(question.times))
    event = chance.choice(pool.history.events[pool.usual_kind])
    filters = {
        slot: filter_around(template, event.time, pool.now, chance)
        for slot, template in chosen.items()
    }
    values = {
        slot: event.person if slot == "patient_id" else chance.choice(_labels(pool, slot))
        for slot in question.values
    }
    return Slots(values, {}, TimeTag(**filters))


def has_values(pool: EventPool, question: QuestionTemplate) -> bool:
    """Returns True if the records have a value for each slot of an unanswerable question."""
    named = (slot for slot in question.values if slot != "patient_id")
    return all(_labels(pool, slot) for slot in named)


def _labels(pool: EventPool, slot: str) -> list[str]:
    events = pool.source.records.events.items()
    kind = next(kind for kind, event in events if event.slot == slot.rstrip("123"))
    return [label for label in pool.history.labelled[kind] if label]


def _within(filter: TimeFilter | None, first: Occurrence, second: Occurrence) -> bool:
    """True if a `within` filter accepts the two events."""
    if filter is None or second is first:
        return True
    if isinstance(filter.template.meaning, SameVisit):
        return first.stay == second.stay is not None
    return accepts_pair(filter, first.time, second.time)


@dataclass(frozen=True)
class EventValues:
    """The values of the event that a question is about, or of two events of one person.

    Attributes:
        first: the event that the question is about.
        second: the event that follows it; the first if there is only one.
    """

    pool: EventPool
    template: QuestionTemplate
    operations: Mapping[str, str]
    first: Occurrence
    second: Occurrence

    def draw(self, chance: random.Random) -> Mapping[str, Value] | None:
        """Returns a value for each slot; None if a slot has none."""
        sampled = {slot: self._value(slot, chance) for slot in self.template.values}
        values = {slot: value for slot, value in sampled.items() if value is not None}
        return values if len(values) == len(sampled) else None

    def _value(self, slot: str, chance: random.Random) -> Value | None:
        match slot:
            case "patient_id":
                return self._patient(chance)
            case "gender":
                return self.pool.history.genders.get(self.second.person)
            case "drug_route" | "admission_route":
                return self.first.route
            case "lab_value":
                return self.first.value
            case "vital_value":
                return self._beyond(chance)
            case "drug_name2" if not needs_second(self.template):
                return chance.choice(self.pool.history.events["drug"]).label
            case "drug_name3":
                return chance.choice(self.pool.history.events["drug"]).label
            case "ward_id":
                label = self.first.label or ""
                return int(label) if label.isdigit() else None
        return self.second.label if slot == self._second_slot() else self.first.label

    def _second_slot(self) -> str:
        """The slot named by the second event; "" if there is no such slot."""
        if self.template.form == "time_of_both":
            return "drug_name2"
        kinds = filter(None, (self.template.event, self.template.then))
        slots = [self.pool.source.records.events[kind].slot for kind in kinds]
        return self.template.then_named_by or (slots[1] if len({*slots}) == 2 else "")

    def _patient(self, chance: random.Random) -> Value | None:
        if self.template.form == "has_elsewhere":
            return self._in_hospital_now(chance)
        of_anyone = self.template.form.startswith(_ASKED_OF_ANYONE)
        if of_anyone and chance.random() < _OF_ANYONE:
            return chance.choice(self.pool.history.persons)
        return self.first.person

    def _in_hospital_now(self, chance: random.Random) -> Value | None:
        """The event's patient if now in hospital, otherwise a random patient who is."""
        stays = self.pool.history.stays.values()
        staying = list(dict.fromkeys(stay.parent for stay in stays if stay.end is None))
        if self.first.person in staying:
            return self.first.person
        return chance.choice(staying) if staying else None

    def _beyond(self, chance: random.Random) -> float | None:
        """A bound that the event's value lies beyond: another value of the vital sign."""
        if (value := self.first.value) is None:
            return None
        greater = self.operations["comparison"] == "greater"
        events = self.pool.history.labelled["vital"][self.first.label or ""]
        candidates = chance.choices(events, k=_BOUND_DRAWS)
        values = (event.value for event in candidates if event.value is not None)
        return next((v for v in values if (v < value if greater else v > value)), None)


def needs_second(template: QuestionTemplate) -> bool:
    """True if a template is about two events of one person."""
    two_kinds = template.then and template.form != "difference_of_totals"
    return bool(two_kinds or template.exact2 or template.form == "time_of_both")
