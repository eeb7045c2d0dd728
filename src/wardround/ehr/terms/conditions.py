"""What hospitals do about a condition: drug classes, tests, procedures, complications."""

from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_records
from wardround.ehr.terms.names import key


@dataclass(frozen=True)
class Condition:
    """A condition and what goes with it.

    Attributes:
        names: What it is called, lay and formal, the commonest first; a kind of it is treated
            alike and may be among them (ulcerative colitis with Crohn's disease).
        first_line: Drug classes tried first.
        alternatives: Drug classes tried when those fail or cannot be given.
        labs: Tests that assess it, as the database labels them.
        procedures: Groups of procedures; those within a group can stand in for each other.
        complications: What it, or its treatment, can lead to.
        related: Conditions that often come with it.
    """

    names: tuple[str, ...]
    first_line: tuple[str, ...]
    alternatives: tuple[str, ...]
    labs: tuple[str, ...]
    procedures: tuple[tuple[str, ...], ...]
    complications: tuple[str, ...]
    related: tuple[str, ...]


@cache
def conditions() -> tuple[Condition, ...]:
    """Every packaged condition."""
    return tuple(
        Condition(
            procedures=tuple(tuple(group) for group in record.pop("procedures")),
            **{field: tuple(values) for field, values in record.items()},
        )
        for record in read_records(__package__, "conditions.jsonl")
    )


def condition_named(name: str) -> Condition | None:
    """Return the condition of this name, lay or formal, or None.

    >>> found = condition_named("Heart attack")
    >>> found and found.procedures[0]
    ('percutaneous coronary intervention', 'coronary artery bypass graft', 'thrombolysis')
    """
    return _by_name().get(key(name))


@cache
def _by_name() -> dict[str, Condition]:
    by_name: dict[str, Condition] = {}
    for condition in conditions():
        for name in condition.names:
            by_name.setdefault(key(name), condition)
    return by_name
