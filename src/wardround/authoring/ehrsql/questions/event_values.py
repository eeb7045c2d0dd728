"""Values for a question's slots, from one or two events of the records."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from wardround.authoring.ehrsql.questions.history import EventPool, Occurrence
from wardround.authoring.ehrsql.templates import QuestionTemplate, Value

# Forms that may be about any patient, so that some answers are "no".
_ASKED_OF_ANYONE = ("has", "been_to", "count", "normal")
_OF_ANYONE = 0.15
# Draws for the bound of a comparison with a vital sign.
_BOUND_DRAWS = 100


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
        if (own := self.first.value) is None:
            return None
        greater = self.operations["comparison"] == "greater"
        events = self.pool.history.labelled["vital"][self.first.label or ""]
        candidates = chance.choices(events, k=_BOUND_DRAWS)
        values = (event.value for event in candidates if event.value is not None)
        return next((v for v in values if (v < own if greater else v > own)), None)


def needs_second(template: QuestionTemplate) -> bool:
    """True if a template is about two events of one person."""
    two_kinds = template.then and template.form != "difference_of_totals"
    return bool(two_kinds or template.exact2 or template.form == "time_of_both")
