"""Procedures, their other names, and those that can stand in for each other."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.names import key


@dataclass(frozen=True)
class Procedure:
    """A procedure, what it can be replaced with, and the conditions it is done for."""

    name: str
    synonyms: tuple[str, ...]
    alternatives: tuple[str, ...]
    conditions: tuple[str, ...]


def alternative_procedures(name: str) -> tuple[str, ...]:
    """Return the procedures that can stand in for this one, `()` if it or they are unknown.

    >>> alternative_procedures("PCI")[0]
    'coronary artery bypass graft'
    """
    found = _by_name().get(key(name))
    return found.alternatives if found else ()


@cache
def procedures() -> tuple[Procedure, ...]:
    """Every procedure that a packaged condition names."""
    synonyms = {
        name: split_cell(names) for name, names in read_rows(__package__, "procedure_terms.tsv")
    }
    alternatives: dict[str, dict[str, None]] = defaultdict(dict)
    done_for: dict[str, dict[str, None]] = defaultdict(dict)
    for condition in conditions():
        for group in condition.procedures:
            for name in group:
                alternatives[name].update((other, None) for other in group if other != name)
                done_for[name][condition.names[0]] = None
    return tuple(
        Procedure(name, synonyms.get(name, ()), tuple(alternatives[name]), tuple(found))
        for name, found in done_for.items()
    )


@cache
def _by_name() -> dict[str, Procedure]:
    found = {key(name): it for it in reversed(procedures()) for name in it.synonyms}
    return found | {key(procedure.name): procedure for procedure in procedures()}
