"""Procedures with synonyms and alternatives."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.names import key


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
    procedure = _by_name().get(key(name))
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
def _by_name() -> dict[str, Procedure]:
    by_synonym = {key(name): each for each in reversed(procedures()) for name in each.synonyms}
    return by_synonym | {key(procedure.name): procedure for procedure in procedures()}
