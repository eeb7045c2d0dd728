"""A question as read: its intents, and its terms by kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from wardround.agents.clerk.intents import WRITES, Intent
from wardround.agents.clerk.names import Found, TermKind, groups
from wardround.ehr.text.language import Language

PATIENT: tuple[Intent, ...] = ("symptoms", "adherence", "social", "function", "pain")
OPEN: tuple[Intent, ...] = ("advice", "summary")
# Intents about terms of a kind.
ABOUT: dict[Intent, tuple[TermKind, ...]] = {
    "labs": ("test", "panel"),
    "vitals": ("vital",),
    "orders": ("drug", "class"),
    "doses": ("drug", "class"),
    "adherence": ("drug", "class"),
    "imaging": ("scan",),
    "notes": ("section",),
    "plan": ("section",),
    "social": ("section",),
    "score": ("score",),
    "medicate": ("drug",),
    "request": ("service", "scan", "test", "panel", "culture"),
    "flag": ("drug", "diagnosis", "symptom", "pain"),
}
LOOKUPS: dict[TermKind, Intent] = {
    "test": "labs", "panel": "labs", "vital": "vitals", "culture": "cultures", "drug": "orders",
    "class": "orders", "score": "score", "scan": "imaging", "symptom": "symptoms", "pain": "pain",
    "section": "notes",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its terms and intents.

    Attributes:
        text: the words.
        language: their language.
        intents: what is wanted, the first first.
        terms: the terms in it, and those taken over from earlier turns.
        clauses: the words of each intent.
    """

    text: str
    language: Language
    intents: tuple[Intent, ...]
    terms: tuple[Found, ...]
    clauses: Mapping[Intent, str]

    def names(self, *kinds: TermKind) -> tuple[str, ...]:
        """The names of the terms of some kinds, each once."""
        return tuple(dict.fromkeys(each.name for each in self.terms if each.kind in kinds))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests, those of panels included."""
        panels = (groups()["panel", name].members for name in self.names("panel"))
        return tuple(dict.fromkeys((*self.names("test"), *(t for each in panels for t in each))))

    @property
    def writes(self) -> bool:
        """True if an order is wanted."""
        return any(intent in WRITES for intent in self.intents)
