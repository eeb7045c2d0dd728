"""A record map proposed for an unknown database, with what speaks for each entry."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.events import event_sources
from wardround.ehr.records.proposal.facts import read_facts
from wardround.ehr.records.proposal.fields import quoted
from wardround.ehr.records.proposal.hierarchy import LevelKey, find_levels
from wardround.ehr.records.proposal.keys import references, unique_columns
from wardround.ehr.records.proposal.model import Proposal, ProposedSource, Record
from wardround.ehr.records.proposal.offsets import Clock, clock_of
from wardround.ehr.records.proposal.people import (
    deaths,
    hospitals,
    level_sources,
    written_sexes,
    written_signs,
)
from wardround.ehr.records.proposal.probes import look_up
from wardround.ehr.records.proposal.suggestions import Suggest, Suggestions


def propose(database: Database, suggest: Suggest | None = None) -> Proposal:
    """Propose a map from keys, dependencies, values and names; at most samples are read.

    Args:
        database: The database.
        suggest: A language model that reads the names of tables and columns.

    Raises:
        UserError: Nothing tells patients apart.
    """
    facts = read_facts(database)
    unique = unique_columns(database, facts)
    links = references(database, facts, unique)
    levels = find_levels(database, facts, unique, links)
    if not levels:
        raise UserError(
            f"No table of {database.name} has a column of sexes and a key that decides it, so"
            " nothing tells patients apart; write the map by hand (see docs/map-your-tables.md)."
        )
    shared = [level.column for level in levels if not level.unique]
    linked = {each.column for each in links}
    further = references(database, facts, shared) if shared else []
    links = [*links, *(each for each in further if each.column not in linked)]
    suggestions = Suggestions(suggest) if suggest else None
    record = Record(database, facts, unique, links, levels, None, "", {}, suggestions)
    record = _with_clock(record)
    sources = [*level_sources(record), *deaths(record), *hospitals(record)]
    events = [choice for table in facts.values() for choice in event_sources(record, table)]
    sources += _ranked(events)
    used = {s.tables.split(" ")[0] for s in sources} | {quoted(each) for each in record.people}
    dictionaries = {each.target.table for each in links}
    unknown = tuple(
        (name, table.rows, tuple(table.columns))
        for name, table in facts.items()
        if quoted(name) not in used and name not in dictionaries
    )
    order = list(record_kinds())
    sources.sort(key=lambda source: order.index(source.kind))
    starts = {"stay": record.start} if record.start else {}
    written = {**written_sexes(record), **written_signs(sources)}
    return Proposal(tuple(sources), starts, written, unknown)


def _with_clock(record: Record) -> Record:
    """The record with the clock of its stays, if their times are offsets."""
    stay = record.levels[-1]
    table = record.facts[stay.column.table]
    ids = [level.column.name for level in record.levels]
    clock = clock_of(table, ids) if stay.unique else None
    if clock is None:
        return record
    end = clock.ends[-1].column
    keys = {cell for t in _tables_of(record, stay) for cell in t}
    cells = look_up(record.database, record.facts_of(stay.column), [end], sorted(keys, key=str))
    ends = {key: float(str(row[0])) for key, row in cells.items() if row[0] is not None}
    return replace(record, clock=clock, start=_start(clock, table.name), ends=ends)


def _tables_of(record: Record, stay: LevelKey) -> Iterator[tuple[Cell, ...]]:
    for link in record.links:
        if link.target == stay.column:
            yield record.facts[link.column.table].columns[link.column.name].distinct


def _start(clock: Clock, table: str) -> str:
    """The time that offsets count from; its day is made up where only a time of day is known.

    The day is that of the first offset, which the stays of an admission share: so their times can
    be compared.
    """
    name, first = quoted(table), clock.first if clock.first and clock.first.clock else None
    hour = first.clock if first else clock.start
    if not hour:
        return "CAST('2000-01-01 00:00:00' AS TIMESTAMP)"
    year = f"CAST({name}.{quoted(clock.year)} AS VARCHAR)" if clock.year else "'2000'"
    start = f"CAST({year} || '-01-01 ' || {name}.{quoted(hour)} AS TIMESTAMP)"
    if not first:
        return start
    return f"{start} - INTERVAL ({name}.{quoted(first.column)}) {clock.unit.upper()}"


def _ranked(events: Sequence[tuple[ProposedSource, float]]) -> list[ProposedSource]:
    """The tables of each kind that are nearly as good as its best; the others are left open.

    Names of drugs alone are no orders where another table has doses. Tables with a column for
    each measurement are only compared with one another.
    """
    best: dict[tuple[str, bool], tuple[bool, float]] = {}
    for source, strength in events:
        group = source.kind, bool(source.wide)
        best[group] = max((_is_supported(source), strength), best.get(group, (False, 0.0)))
    return [
        replace(source, is_open=(_is_supported(source), strength + 0.35) < best[group])
        for source, strength in events
        if (group := (source.kind, bool(source.wide)))
    ]


def _is_supported(source: ProposedSource) -> bool:
    return any(kind in ("support", "name", "unit") for kind, _ in source.evidence)
