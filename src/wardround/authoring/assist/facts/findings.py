"""Findings: what one call finds about one thing in a record, as values with their sources."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from wardround.authoring.assist.facts.sources import Source, placed
from wardround.authoring.assist.facts.told_words import Part
from wardround.ehr.terms.chinese import TermKind

# The wording of a value: as a term of a kind, a number, a day, a number of days before the session,
# a line about the patient, an entry of the wordings, or as it stands.
Wording: TypeAlias = (
    TermKind | Part | Literal["number", "day", "ago", "direction", "dose", "text", "words"]
)
EntityKind: TypeAlias = Literal[
    "test", "drug", "diagnosis", "stay", "report", "note", "plan", "person", "patient"
]

# The kind of a finding about an order that no question asks for, because its answer is disputable:
# a single dose, a contradicted dose, or a possible interruption. Rules know of the drug.
UNASKED = "unasked_order"


@cache
def resource_of(tool: str) -> str:
    """The type of resource that a tool reads; the name of a tool that writes or asks the patient.

    >>> resource_of("Observation.search"), resource_of("Flag.create")
    ('Observation', 'Flag.create')
    """
    return tool.removesuffix(".search").removesuffix(".read")


class Entity(NamedTuple):
    """The thing that a finding is about: a test, a drug, the stay, ..., by its English name."""

    kind: EntityKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of a finding, with its source and the way it is worded."""

    wording: Wording
    source: Source


class PlannedCall(NamedTuple):
    """A gold call, without the ids that every call of a session has."""

    tool: str
    arguments: Mapping[str, Any]


def result_search(category: str, test: str) -> PlannedCall:
    """The search for all results of a test or vital sign in a stay."""
    return PlannedCall("Observation.search", {"category": category, "code": test})


@dataclass(frozen=True)
class Finding:
    """The values that a call finds about one thing.

    Attributes:
        kind: the entry of the wordings, such as "lab_latest".
        entity: what it is about.
        call: the call that finds it.
        slots: its values by name.
    """

    kind: str
    entity: Entity
    call: PlannedCall
    slots: Mapping[str, Slot]

    @cached_property
    def resource(self) -> str:
        """The type of resource that it is read from, or the patient tool's name."""
        return resource_of(self.call.tool)

    @cached_property
    def topic(self) -> tuple[Entity, str]:
        """The entity and the aspect of it; a session has no topic twice."""
        return self.entity, self.kind

    def placed(self, turn: int, call: int) -> "Finding":
        """The finding with the turn and number of its call in its sources."""
        slots = {
            name: replace(slot, source=placed(slot.source, turn, call))
            for name, slot in self.slots.items()
        }
        return replace(self, slots=slots)


def complete_finding(
    kind: str, entity: Entity, call: PlannedCall, slots: Mapping[str, Slot | None]
) -> Iterator[Finding]:
    """A finding, if the record has all of its values."""
    if all(slots.values()):
        yield Finding(kind, entity, call, {name: slot for name, slot in slots.items() if slot})
