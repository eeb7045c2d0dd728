"""Clinical conditions with their treatments, and procedures with their alternatives."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_records, read_rows, split_cell
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


@dataclass(frozen=True)
class Procedure:
    """A procedure with its alternatives and indications."""

    name: str
    synonyms: tuple[str, ...]
    alternatives: tuple[str, ...]
    conditions: tuple[str, ...]


def alternative_procedures(name: str) -> tuple[str, ...]:
    """The alternatives to a procedure, `()` if unknown.

    >>> alternative_procedures("PCI")[0]
    'coronary artery bypass graft'
    """
    procedure = _procedures_by_name().get(key(name))
    return procedure.alternatives if procedure else ()


@cache
def procedures() -> tuple[Procedure, ...]:
    """Every procedure that a packaged condition names."""
    synonyms = {
        name: split_cell(names) for name, names in read_rows(__package__, "procedure_terms.tsv")
    }
    alternatives: dict[str, dict[str, None]] = defaultdict(dict)
    indications: dict[str, dict[str, None]] = defaultdict(dict)
    for condition in conditions():
        for group in condition.procedures:
            for name in group:
                alternatives[name].update((member, None) for member in group if member != name)
                indications[name][condition.names[0]] = None
    return tuple(
        Procedure(name, synonyms.get(name, ()), tuple(alternatives[name]), tuple(conditions))
        for name, conditions in indications.items()
    )


@cache
def _procedures_by_name() -> dict[str, Procedure]:
    by_synonym = {key(name): each for each in reversed(procedures()) for name in each.synonyms}
    return by_synonym | {key(procedure.name): procedure for procedure in procedures()}
