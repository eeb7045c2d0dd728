"""The events of a database's records that suit a kind of question and a time template."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter

from wardround.authoring.ehrsql.questions.history import History, Occurrence, by_label
from wardround.authoring.ehrsql.questions.source import Source
from wardround.ehr.times import TimeTemplate
from wardround.ehr.times.filter_sampling import reach
from wardround.ehr.times.model import Visit

_Key = tuple[str, str]


@dataclass
class EventPool:
    """The events of a database's records, which those that suit a time template are found in.

    Attributes:
        now: When the records end.
    """

    source: Source
    history: History
    now: datetime
    _suiting: dict[_Key, Sequence[Occurrence]] = field(default_factory=dict)
    _labelled: dict[_Key, Sequence[Sequence[Occurrence]]] = field(default_factory=dict)

    def suiting(self, kind: str, template: TimeTemplate | None) -> Sequence[Occurrence]:
        """The events of a kind that a filter of the template can let through."""
        key = (kind, template.id if template else "")
        if key not in self._suiting:
            events = self.history.events.get(kind, ())
            self._suiting[key] = self._reached(events, template) if template else events
        return self._suiting[key]

    def labelled(self, kind: str, template: TimeTemplate | None) -> Sequence[Sequence[Occurrence]]:
        """The same events by label, so that rare labels are asked about as often as common ones."""
        key = (kind, template.id if template else "")
        if key not in self._labelled:
            self._labelled[key] = list(by_label(self.suiting(kind, template)).values())
        return self._labelled[key]

    def _reached(
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
