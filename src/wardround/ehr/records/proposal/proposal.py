"""A record map proposed for an unknown database: people first, then what happened to them.

Each entry has its evidence beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_text
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.entries import (
    aggregated,
    chosen_entries,
    column_sql,
    level_times,
    proposed_source,
)
from wardround.ehr.records.proposal.events import event_sources
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import read_facts
from wardround.ehr.records.proposal.fields import Field, fields_of, quoted
from wardround.ehr.records.proposal.hierarchy import KEY_OF, LevelKey, Path, find_levels, paths
from wardround.ehr.records.proposal.keys import Reference, references, unique_columns
from wardround.ehr.records.proposal.kinds import fill_columns
from wardround.ehr.records.proposal.model import (
    Entry,
    Proposal,
    ProposedSource,
    Record,
)
from wardround.ehr.records.proposal.offsets import Clock, clock_of
from wardround.ehr.records.proposal.probes import look_up
from wardround.ehr.records.proposal.suggestions import Suggest, Suggestions
from wardround.ehr.records.proposal.values import is_of, name_evidence, sexes, sign_meaning


def propose(database: Database, suggest: Suggest | None = None) -> Proposal:
    """Propose a map from keys, dependencies, values and names; at most samples are read.

    Args:
        database: The database.
        suggest: A language model that reads the names of tables and columns.

    Raises:
        UserError: No column identifies patients.
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


def level_sources(record: Record) -> Iterator[ProposedSource]:
    """The sources of patients and of their stays."""
    for at, level in enumerate(record.levels):
        yield _level_source(record, level, at)


def _level_source(record: Record, level: LevelKey, at: int) -> ProposedSource:
    table = record.facts[level.column.table]
    ways = paths(table.name, record.levels[: at + 1], record.links)
    fields = record.fields_of(table)
    choices = fill_columns(level.level, fields, {})
    if record.suggestions:
        level_columns = {level.column.name for level in record.levels}
        choices = record.suggestions.columns(
            level.level, table.name, fields, level_columns, choices
        )
    key = KEY_OF[level.level]
    ways[key] = Path((), level.column, level.evidence)
    entries = {
        **_hospital_key(record, table.name),
        **level_times(record, level, table),
        **chosen_entries(choices),
    }
    used = [choice.field for choice in choices.values()]
    source = proposed_source(level.level, table.name, ways, entries, level.evidence, used=used)
    if level.unique:
        return source
    columns = {n: e if n == key else aggregated(n, e, record) for n, e in source.columns.items()}
    return replace(source, columns=columns, one_per=key)


def deaths(record: Record) -> Iterator[ProposedSource]:
    """Deaths in the hospital: stays that say so where the patient went."""
    for level in record.levels[1:]:
        table = record.facts[level.column.table]
        fields = record.fields_of(table)
        dead = [f for f in fields if "dead" in f.roles and not f.through]
        if not dead:
            continue
        best = max(dead, key=lambda f: (-len(f.facts.texts), f.roles["dead"]))
        words = [text for text in best.facts.texts if is_of("dead", text)]
        ways = record.paths_from(table)
        times = level_times(record, level, table)
        entries = {"time": times["finish"]} if "finish" in times else {}
        listed = ", ".join(quote_text(word) for word in words)
        column = best.facts.column.name
        about: Evidence = (
            ("words", "values that say so"),
            *name_evidence(column, "death", "destination", "status"),
        )
        where = f"{best.sql} IN ({listed})"
        yield proposed_source("death", table.name, ways, entries, about, where=where)
        return


def _hospital_key(record: Record, table: str) -> dict[str, Entry]:
    """The column of a table of stays that refers to a dictionary of hospitals."""
    links = [link for link, _ in _hospital_links(record) if link.column.table == table]
    return (
        {"hospital": Entry({"sql": column_sql(links[0].column)}, links[0].evidence)}
        if links
        else {}
    )


def _hospital_links(record: Record) -> Iterator[tuple[Reference, Field]]:
    """References of stays to a dictionary with regions."""
    for link in record.links:
        table = record.facts[link.target.table]
        if link.column.table not in record.people or table.name in record.people:
            continue
        fields = fields_of(record.database, record.facts, table, (), ())
        yield from ((link, f) for f in fields if "region" in f.roles)


def hospitals(record: Record) -> Iterator[ProposedSource]:
    """A dictionary of stays with regions."""
    for link, region in _hospital_links(record):
        table = record.facts[link.target.table]
        about: Evidence = (*link.evidence[:1], ("values", "regions"))
        entries = {
            "hospital": Entry({"sql": column_sql(link.target)}, link.evidence),
            "region": Entry({"sql": region.sql}, (("values", "regions"),)),
        }
        yield ProposedSource("hospital", quoted(table.name), entries, about)
        return


def written_sexes(record: Record) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words for the sexes: they are everyone's, and no value of a patient."""
    table = record.facts[record.levels[0].column.table]
    fields = record.fields_of(table)
    texts = next((f.facts.texts for f in fields if "sex" in f.roles), ())
    return {"patient.sex": sexes(texts)} if texts else {}


def written_signs(sources: Sequence[ProposedSource]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The vital signs that have columns."""
    names = [name for each in sources if each.kind == "vital" for name in each.wide]
    signs: dict[str, tuple[str, ...]] = {sign_meaning(name): (name,) for name in names}
    return {"vital.name": signs} if signs else {}
