"""Reads the values of a resource, each with its source."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wardround.authoring.assist.facts.findings import Slot, Wording
from wardround.authoring.assist.facts.functions import Function, computed
from wardround.authoring.assist.facts.sources import (
    UNPLACED,
    Briefed,
    Computed,
    Quoted,
    Recorded,
    at,
)
from wardround.ehr.text.cues import assertion
from wardround.ehr.text.mentions import mentions


@dataclass(frozen=True)
class ResourceReader:
    """Reads values of one resource of a result, each with its source.

    A value that the resource lacks is None, as are values computed from it.

    Attributes:
        result: the Bundle of a call.
        entry: the number of the resource.
        today: the day of the session.
    """

    result: Any
    entry: int
    today: str = ""

    def value(self, path: str) -> Any:
        """The value at a path of the resource."""
        return at(self._resource, path)

    def recorded(self, path: str) -> Recorded | None:
        """The value at a path, as a source."""
        value = self.value(path)
        if value is None or value == "":
            return None
        return Recorded(UNPLACED, UNPLACED, self.id(), self.path(path), value)

    def number(self, path: str) -> Slot | None:
        """A number or a plain text."""
        return self._slot(path, "number")

    def coded(self, path: str, wording: Wording) -> Slot | None:
        """A code or name, worded by a table of names."""
        return self._slot(path, wording)

    def day(self, path: str) -> Slot | None:
        """The day of a time."""
        return self._computed("day", path, "day")

    def total(self) -> Slot:
        """The number of resources that the search found."""
        total = Recorded(UNPLACED, UNPLACED, "Bundle", "total", self.result["total"])
        return Slot("number", Computed("count", (total,), total.value))

    def ago(self, path: str) -> Slot | None:
        """The number of days from a time to the day of the session; None if it is later."""
        source, now = self.recorded(path), Briefed("date", self.today)
        if not source:
            return None
        days = computed("days", [source.value, now.value])
        return Slot("ago", Computed("days", (source, now), days)) if int(days) >= 0 else None

    def function(self, function: Function, *paths: str) -> Slot | None:
        """A function of several values of the resource."""
        of = [self.recorded(path) for path in paths]
        sources = tuple(each for each in of if each)
        if len(sources) < len(of):
            return None
        value = computed(function, [each.value for each in sources])
        return Slot("number", Computed(function, sources, value))

    def dose(self, path: str) -> Slot | None:
        """A quantity with its unit; None if it is zero."""
        number, unit = self.recorded(f"{path}.value"), self.recorded(f"{path}.unit")
        if not number or not unit or not number.value:
            return None
        value = computed("dose", [number.value, unit.value])
        return Slot("dose", Computed("dose", (number, unit), value))

    def given(self, drug: str) -> dict[str, Slot | None]:
        """The dose that a resource says to have been given."""
        return {
            "drug": self.term("medicationCodeableConcept.text", "drug", drug),
            "dose": self.dose("dosage.dose"),
            "route": self.coded("dosage.route.coding.0.code", "route"),
            "day": self.day("effectiveDateTime"),
            "ago": self.ago("effectiveDateTime"),
        }

    def term(self, path: str, wording: Wording, name: str) -> Slot | None:
        """A term by its English name, which the record may write with salt, form or brand."""
        return self.quoted(path, str(self.value(path) or ""), wording, name)

    def quoted(
        self, path: str, quote: str, wording: Wording, value: str | None = None
    ) -> Slot | None:
        """A value by a quote of the text at a path."""
        if not quote:
            return None
        full_path = self.path(path)
        return Slot(
            wording, Quoted(UNPLACED, UNPLACED, self.id(), full_path, quote, value or quote)
        )

    def named(self, path: str, name: str) -> Quoted | None:
        """A term by its English name, as a source."""
        quote, full_path = str(self.value(path) or ""), self.path(path)
        return Quoted(UNPLACED, UNPLACED, self.id(), full_path, quote, name) if quote else None

    def mentioned(self, path: str, wording: Wording) -> dict[str, Slot]:
        """The only diagnosis of a text; nothing if it names several, or does not state it."""
        text = str(self.value(path) or "")
        named = list(mentions(text, "diagnosis"))
        if len(named) != 1 or assertion(text, named[0].span, "en") != "present":
            return {}
        quote = text[named[0].start : named[0].end]
        slot = self.quoted(path, quote, wording, named[0].name)
        return {"diagnosis": slot} if slot else {}

    def _slot(self, path: str, wording: Wording) -> Slot | None:
        source = self.recorded(path)
        return Slot(wording, source) if source else None

    def _computed(self, function: Function, path: str, wording: Wording) -> Slot | None:
        source = self.recorded(path)
        if not source:
            return None
        return Slot(wording, Computed(function, (source,), computed(function, [source.value])))

    def path(self, path: str) -> str:
        """The path in the result of a path in the resource."""
        return f"entry.{self.entry}.resource.{path}"

    def id(self) -> str:
        """The type and id of the resource."""
        return "/".join(str(self.value(name)) for name in ("resourceType", "id"))

    @cached_property
    def _resource(self) -> Any:
        return self.result["entry"][self.entry]["resource"]
