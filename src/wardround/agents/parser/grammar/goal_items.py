"""The items of a question that goals are found by."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Goal

STAYS = ("admission", "icu")
EVENTS = (
    *("drug", "procedure", "treatment", "diagnosis", "lab", "vital"),
    *("culture", "organism", "allergy", "intake", "output"),
)
_NUMBERED = {"patient": "patient", "admission": "admission", "icu": "stay"}


class FoundGoal(NamedTuple):
    """A goal with the numbers of the items that state it."""

    goal: Goal
    used: frozenset[int]


def first_item(items: Sequence[Item], kind: str, *names: str) -> int | None:
    """The number of the first item with a meaning."""
    return next((n for n, item in enumerate(items) if item.means(kind, *names)), None)


def all_items(items: Sequence[Item], kind: str, *names: str) -> set[int]:
    """The numbers of all items with a meaning."""
    return {n for n, item in enumerate(items) if item.means(kind, *names)}


def used_items(*numbers: int | Iterable[int] | None) -> frozenset[int]:
    """The numbers that are there."""
    used: set[int] = set()
    for number in numbers:
        if isinstance(number, int):
            used.add(number)
        elif number is not None:
            used.update(number)
    return frozenset(used)


def record_kind(item: Item) -> str:
    """The kind of record that a noun is of; a word for people of one sex is of patients."""
    if item.means("sex") and not item.means("noun"):
        return "patient"
    return item.meaning("noun")


def numbered_kinds(items: Sequence[Item]) -> set[str]:
    """The kinds among "patient", "admission" and "icu" of which the question has an identifier."""
    return {
        role.kind
        for item in items
        for role in item.values
        if _NUMBERED.get(role.kind) == role.column
    }


def bare_noun(items: Sequence[Item], kinds: Collection[str]) -> int | None:
    """The first noun of some kinds that no value stands behind."""
    for n, item in enumerate(items):
        is_bare = not any(entry.values for entry in items[n + 1 : n + 2])
        if is_bare and item.means("noun", *kinds):
            return n
    return None


def value_kind(items: Sequence[Item], kinds: Collection[str]) -> str:
    """The kind of record of the first value whose kind is among those given."""
    kinds_of_values = (role.kind for item in items for role in item.values if role.kind in kinds)
    return next(kinds_of_values, "")
