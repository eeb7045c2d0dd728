"""A proposed map: its sources and entries, with what speaks for each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.facts import Column, Facts
from wardround.ehr.records.proposal.hierarchy import (
    Evidence,
    LevelKey,
)
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.offsets import Clock

Certainty: TypeAlias = Literal["certain", "likely", "open"]


def certainty(evidence: Evidence) -> Certainty:
    """Certain with two independent pieces of evidence, likely with one, open without."""
    kinds = {kind for kind, _ in evidence}
    return "certain" if len(kinds) >= 2 or "declared" in kinds else "likely" if kinds else "open"


@dataclass(frozen=True, slots=True)
class Entry:
    """A column of a kind.

    Attributes:
        settings: `sql`, or `offset` and `start`, with `unit`, `precision`, `split`.
    """

    settings: Mapping[str, str]
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class ProposedSource:
    """The records of a kind in some tables.

    Attributes:
        wide: The columns that are records of their own, by what they hold.
        is_open: True if the map has it as a comment only.
    """

    kind: str
    tables: str
    columns: Mapping[str, Entry]
    evidence: Evidence
    where: str = ""
    one_per: str = ""
    wide: Mapping[str, Entry] = field(default_factory=dict)
    is_open: bool = False


def shares_of(source: ProposedSource) -> Counter[str]:
    """How many columns of a source are certain, likely and open."""
    states: list[str] = [
        "open" if source.is_open else certainty(entry.evidence)
        for entry in (*source.columns.values(), *source.wide.values())
    ]
    given = {*source.columns, *(("name", "value", "unit") if source.wide else ())}
    left = [name for name in record_kinds()[source.kind].columns if name not in given]
    counts = Counter([*states, *("open" for _ in left)])
    return Counter({state: counts[state] for state in get_args(Certainty) if counts[state]})


@dataclass(frozen=True, slots=True)
class Proposal:
    """A map to be read, edited and used.

    Attributes:
        starts: What offsets count from, by name.
        written: Texts by role and meaning.
        unknown: Tables without a kind, with their number of rows and their columns.
    """

    sources: tuple[ProposedSource, ...]
    starts: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    unknown: tuple[tuple[str, int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a database before its kinds are."""

    database: Database
    facts: Facts
    unique: Sequence[Column]
    links: Sequence[Reference]
    levels: Sequence[LevelKey]
    clock: Clock | None
    start: str
    ends: Mapping[Cell, float]

    @property
    def people(self) -> set[str]:
        """The tables of patients and stays."""
        return {level.column.table for level in self.levels}
