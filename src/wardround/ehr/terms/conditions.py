"""Clinical conditions: drug classes, tests, procedures, complications."""

from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_records
from wardround.ehr.terms.names import key


@dataclass(frozen=True)
class Condition:
    """A condition with its treatments, tests and complications.

    Attributes:
        names: Lay and formal names, most common first; may include subtypes with the same
            treatment (ulcerative colitis with Crohn's disease).
        first_line: Drug classes tried first.
        alternatives: Drug classes for failure or contraindication of the first line.
        labs: Database labels of tests that assess it.
        procedures: Groups of interchangeable procedures.
        complications: Complications of the condition or its treatment.
        related: Frequent comorbidities.
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
    """The condition of this lay or formal name, or None.

    >>> condition = condition_named("Heart attack")
    >>> condition and condition.procedures[0]
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
