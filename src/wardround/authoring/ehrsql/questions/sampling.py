"""The three sampling stages: operations, time templates, values (Lee et al. 2022, 3.1.4)."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from wardround.authoring.ehrsql.questions.history import History, Occurrence, by_label
from wardround.authoring.ehrsql.questions.source import Source
from wardround.authoring.ehrsql.questions.template_choice import Chosen
from wardround.authoring.ehrsql.questions.values import Named, needs_second
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    TimeTag,
    UnanswerableTemplate,
    Value,
    time_choices,
)
from wardround.ehr.times import TimeFilter, TimeTemplate
from wardround.ehr.times import is_legal as is_legal
from wardround.ehr.times.filter_evaluation import accepts_pair
from wardround.ehr.times.model import Moment, SameMoment, SameVisit, Visit
from wardround.ehr.times.random_filters import filter_around, reach

# The kind of event that values come from, for forms without an event.
_ABOUT = {
    "length_of_icu_stay": "icu",
    "elapsed_icu": "icu",
    "patients_discharged": "discharge",
}
_TRIES = 12


@dataclass(frozen=True)
class Slots:
    """The values, operations and times that fill the slots of a question."""

    values: Mapping[str, Value]
    operations: Mapping[str, str]
    times: TimeTag


@dataclass
class Pool:
    """Draws slots from the events of the records that suit a time template."""

    source: Source
    history: History
    now: datetime
    _fitting: dict[tuple[str, str], Sequence[Occurrence]] = field(default_factory=dict)
    _labelled: dict[tuple[str, str], Sequence[Sequence[Occurrence]]] = field(default_factory=dict)

    def draw(self, asked: QuestionTemplate, chosen: Chosen, chance: random.Random) -> Slots | None:
        """The slots of a question that is likely to have an answer; None where none is found."""
        if asked.form == "abbreviation":
            names = self.history.abbreviations
            return Slots({"abbreviation": chance.choice(names)}, {}, TimeTag()) if names else None
        for _ in range(_TRIES):
            slots = self._drawn(asked, chosen, chance)
            if slots and is_legal(slots.times, self.now):
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

    def _drawn(
        self, asked: QuestionTemplate, chosen: Chosen, chance: random.Random
    ) -> Slots | None:
        first = self._first(asked, chosen.times, chance)
        if first is None:
            return None
        second = self._second(asked, first, chosen.times, chance) if needs_second(asked) else first
        if second is None:
            return None
        filters = self._filters(chosen.times, first, second, chance)
        if filters is None or not _within(filters.get("within"), first, second):
            return None
        if not self._tells_apart(asked, chosen.times, first, second):
            return None
        named = Named(self.source, self.history, asked, chosen.operations, first, second)
        values = named.values(chance)
        return None if values is None else Slots(values, chosen.operations, TimeTag(**filters))

    def _first(
        self, asked: QuestionTemplate, times: Mapping[str, TimeTemplate], chance: random.Random
    ) -> Occurrence | None:
        """The event that is asked about: any of one person's, any kind of thing of a group's."""
        kind = asked.event or _ABOUT.get(asked.form, "admission")
        template = times.get("global2" if asked.form == "names_new" else "global1")
        events = self._fitting_events(kind, template)
        if events and asked.scope != "single":
            events = chance.choice(self._labelled_events(kind, template))
        return chance.choice(events) if events else None

    def _second(
        self,
        asked: QuestionTemplate,
        first: Occurrence,
        times: Mapping[str, TimeTemplate],
        chance: random.Random,
    ) -> Occurrence | None:
        """Another event of the person: the one that follows, or the later of two values."""
        events = self.history.of_person.get((asked.then or asked.event, first.person), ())
        within = times.get("within")
        if within is not None and isinstance(within.meaning, SameMoment):
            found = [e for e in events if e.time == first.time and e.label != first.label]
        elif "exact2" in times:
            found = [e for e in events if e.time > first.time and e.label == first.label]
        else:
            found = [e for e in events if e.time > first.time]
            found = self._soon(within, first, found, chance) if within else found
        return chance.choice(found) if found else None

    def _soon(
        self,
        within: TimeTemplate,
        first: Occurrence,
        later: Sequence[Occurrence],
        chance: random.Random,
    ) -> list[Occurrence]:
        """The later events within the time; all of them if none is."""
        if isinstance(within.meaning, SameVisit):
            return [event for event in later if event.stay == first.stay]
        soon = filter_around(within, first.time, self.now, chance)
        found = [e for e in later if soon and accepts_pair(soon, first.time, e.time)]
        return found or list(later)

    def _filters(
        self,
        times: Mapping[str, TimeTemplate],
        first: Occurrence,
        second: Occurrence,
        chance: random.Random,
    ) -> dict[str, TimeFilter] | None:
        filters: dict[str, TimeFilter] = {}
        for slot, template in times.items():
            event = second if slot in ("global2", "exact2") else first
            filter = filter_around(template, event.time, self.now, chance)
            if filter is None:
                return None
            filters[slot] = filter
        if times.get("global1") is times.get("global2") and "global1" in filters:
            filters["global2"] = filters["global1"]
        return filters

    def _tells_apart(
        self,
        asked: QuestionTemplate,
        times: Mapping[str, TimeTemplate],
        first: Occurrence,
        second: Occurrence,
    ) -> bool:
        """True if each moment that is named has only one value of the measurement."""
        if not any(isinstance(template.meaning, Moment) for template in times.values()):
            return True
        of_person = self.history.of_person[asked.event, first.person]
        said = [(event.time, event.label) for event in of_person]
        return all(said.count((event.time, event.label)) == 1 for event in (first, second))

    def _fitting_events(self, kind: str, template: TimeTemplate | None) -> Sequence[Occurrence]:
        """The events of a kind that a filter of the template can let through."""
        key = (kind, template.id if template else "")
        if key not in self._fitting:
            events = self.history.events.get(kind, ())
            self._fitting[key] = self._suiting(events, template) if template else events
        return self._fitting[key]

    def _labelled_events(
        self, kind: str, template: TimeTemplate | None
    ) -> Sequence[Sequence[Occurrence]]:
        """The same events by label, so that rare labels are asked about as often as common ones."""
        key = (kind, template.id if template else "")
        if key not in self._labelled:
            events = self._fitting_events(kind, template)
            self._labelled[key] = list(by_label(events).values())
        return self._labelled[key]

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

    def _any_value(self, slot: str, admission: Occurrence, chance: random.Random) -> Value:
        if slot == "patient_id":
            return admission.person
        named = slot.rstrip("123")
        kind = next(kind for kind, e in self.source.records.events.items() if e.slot == named)
        return chance.choice([label for label in self.history.labelled[kind] if label])


def _within(filter: TimeFilter | None, first: Occurrence, second: Occurrence) -> bool:
    """True if the second of two events is as soon after the first as the filter wants."""
    if filter is None or second is first:
        return True
    if isinstance(filter.template.meaning, SameVisit):
        return first.stay == second.stay
    return accepts_pair(filter, first.time, second.time)
