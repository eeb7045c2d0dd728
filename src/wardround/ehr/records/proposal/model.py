"""A proposed map: sources and entries, each with its evidence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.evidence import CERTAINTIES, Certainty, Evidence, certainty
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, Facts, TableFacts
from wardround.ehr.records.proposal.fields import Field, fields_of
from wardround.ehr.records.proposal.hierarchy import KEY_OF, LevelKey, Path, paths
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.offsets import Clock
from wardround.ehr.records.proposal.suggestions import Suggestions


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


def certainty_of(source: ProposedSource, name: str, entry: Entry) -> Certainty:
    """The certainty of a column: except a key's, at most that of the kind of its records."""
    certainties = [certainty(entry.evidence)]
    if name not in KEY_OF.values():
        certainties.append(certainty(source.evidence))
    return "open" if source.is_open else max(certainties, key=CERTAINTIES.index)


def shares_of(source: ProposedSource) -> Counter[str]:
    """The numbers of a source's columns that are certain, likely and open."""
    entries = (*source.columns.items(), *source.wide.items())
    states: list[str] = [certainty_of(source, name, entry) for name, entry in entries]
    given = {*source.columns, *(("name", "value", "unit") if source.wide else ())}
    left = [name for name in record_kinds()[source.kind].columns if name not in given]
    counts = Counter([*states, *("open" for _ in left)])
    return Counter({state: counts[state] for state in CERTAINTIES if counts[state]})


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
    """A database whose people are known, before its kinds of record are."""

    database: Database
    facts: Facts
    unique: Sequence[Column]
    links: Sequence[Reference]
    levels: Sequence[LevelKey]
    clock: Clock | None
    start: str
    ends: Mapping[Cell, float]
    suggestions: Suggestions | None = None

    def facts_of(self, column: Column) -> ColumnFacts:
        """The facts of a column."""
        return self.facts[column.table].columns[column.name]

    def fields_of(self, table: TableFacts) -> list[Field]:
        """The fields of a table's records."""
        return fields_of(self.database, self.facts, table, self.links, self.people)

    def paths_from(self, table: TableFacts) -> dict[str, Path]:
        """The paths from a table's rows to the keys of patients and stays."""
        return paths(table.name, self.levels, self.links)

    @property
    def people(self) -> set[str]:
        """The tables of patients and stays."""
        return {level.column.table for level in self.levels}
