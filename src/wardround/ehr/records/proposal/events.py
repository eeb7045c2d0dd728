"""The sources of events in a proposed map, with their times."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.entries import (
    chosen_entries,
    column_sql,
    level_times,
    offset_entry,
    proposed_source,
    time_entry,
)
from wardround.ehr.records.proposal.facts import Column, TableFacts
from wardround.ehr.records.proposal.fields import Field, quoted
from wardround.ehr.records.proposal.hierarchy import KEY_OF, Join, Path
from wardround.ehr.records.proposal.kinds import (
    FieldChoice,
    KindChoice,
    WideColumn,
    kinds_of,
    wide_columns,
)
from wardround.ehr.records.proposal.model import (
    Entry,
    ProposedSource,
    Record,
)
from wardround.ehr.records.proposal.offsets import event_offsets
from wardround.ehr.records.proposal.probes import look_up
from wardround.ehr.records.proposal.times import TimeColumn, share_inside, span


def event_sources(record: Record, table: TableFacts) -> list[tuple[ProposedSource, float]]:
    """The kinds of record in a table, with their strengths; the best, and what shares its rows."""
    ways = record.paths_from(table)
    if "patient" not in ways:
        return []
    fields = record.fields_of(table)
    used_columns = {p.column.name for p in ways.values() if not p.joins}
    used_columns |= {p.joins[0].column.name for p in ways.values() if p.joins}
    used_columns |= {each.column.name for each in record.links if each.column.table == table.name}
    used_columns |= {
        c.column.name for c in table.of_type("integer") if _is_named_as_key(record, c.column)
    }
    unique = [c.name for c in record.unique if c.table == table.name]
    if table.name in record.people:
        return codes_of_stays(record, table, fields, {*used_columns, *unique})
    times = _event_times(record, table, ways, {*used_columns, *unique})
    used_columns |= {each.column for each in times} | set(unique)
    choices = kinds_of(table.name, fields, used_columns)
    kind, wide = wide_columns(fields, used_columns)
    if not choices and wide and times:
        return [_wide_source(record, table, ways, times, unique, kind, wide)]
    choices = _with_suggestions(record, table, fields, used_columns, choices)
    if not choices:
        return []
    both = {"intake", "output"}
    best = choices[0]
    meant = [c for c in choices if c is best or ({c.kind, best.kind} == both and c.where)]
    return [(_event_source(record, table, ways, times, unique, c), c.strength) for c in meant]


def _with_suggestions(
    record: Record,
    table: TableFacts,
    fields: Sequence[Field],
    used_columns: set[str],
    choices: list[KindChoice],
) -> list[KindChoice]:
    """The kinds of a table, the first with the columns that a language model adds."""
    if not record.suggestions:
        return choices
    if not choices:
        suggested = record.suggestions.kind(table.name, fields, used_columns)
        return [suggested] if suggested else []
    best = choices[0]
    columns = record.suggestions.columns(best.kind, table.name, fields, used_columns, best.columns)
    return [replace(best, columns=columns), *choices[1:]]


def _is_named_as_key(record: Record, column: Column) -> bool:
    """True for the key of a stay that most rows do not find."""
    return any(column.name.lower() == level.column.name.lower() for level in record.levels)


def _event_times(
    record: Record, table: TableFacts, ways: Mapping[str, Path], used_columns: set[str]
) -> list[TimeColumn]:
    times = [*span(table)]
    if times:
        return [_checked(record, table, ways, each) for each in times]
    stay = record.levels[-1].column
    link = next(
        (e for e in record.links if e.column.table == table.name and e.target == stay), None
    )
    if not record.clock or not link:
        return []
    stays = table.columns[link.column.name].cells
    return event_offsets(table, [*used_columns], stays, record.ends, record.clock)


def _checked(
    record: Record, table: TableFacts, ways: Mapping[str, Path], each: TimeColumn
) -> TimeColumn:
    """A time with the share of it that is inside the stay of its row, where that is known."""
    for level in reversed(record.levels[1:]):
        path = ways.get(KEY_OF[level.level])
        bounds = span(record.facts[level.column.table])
        if path is None or path.joins or len(bounds) < 2 or not level.unique:
            continue
        keys = table.columns[path.column.name]
        wanted = [bound.column for bound in bounds]
        spans = look_up(record.database, record.facts_of(level.column), wanted, keys.distinct)
        share = share_inside(table.columns[each.column], keys.cells, spans)
        if share >= 0.7:
            about = ("times", f"{share:.0%} inside the {level.level} of its row")
            return replace(each, evidence=(*each.evidence, about))
    return each


def _event_source(
    record: Record,
    table: TableFacts,
    ways: Mapping[str, Path],
    times: Sequence[TimeColumn],
    unique: Sequence[str],
    choice: KindChoice,
) -> ProposedSource:
    entries: dict[str, Entry] = {}
    if unique:
        about = (("unique", "different in every row"),)
        entries["record"] = Entry({"sql": column_sql(Column(table.name, unique[0]))}, about)
    column_types = record_kinds()[choice.kind].columns
    chosen = _times_for(record, times, "finish" in column_types)
    entries |= {name: entry for name, entry in chosen.items() if name in column_types}
    used: list[Path | Field] = [c.field for c in choice.columns.values()]
    if any("start" in entry.settings for entry in entries.values()):
        # An offset counts from the start of the stay, so the table of stays is read too.
        stay = record.levels[-1]
        key = ways[KEY_OF[stay.level]].column
        used.append(Path((Join(key, stay.column),), stay.column, ()))
    entries |= chosen_entries(choice.columns)
    return proposed_source(
        choice.kind, table.name, ways, entries, choice.evidence, used=used, where=choice.where
    )


def _wide_source(
    record: Record,
    table: TableFacts,
    ways: Mapping[str, Path],
    times: Sequence[TimeColumn],
    unique: Sequence[str],
    kind: str,
    wide: Mapping[str, WideColumn],
) -> tuple[ProposedSource, float]:
    """Measurements that have columns."""
    words = {"unit": "units in their names", "name": "their names"}
    words["range"] = f"{len(wide)} columns have the ranges of vital signs"
    kinds = dict.fromkeys(each for column in wide.values() for each, _ in column.evidence)
    about = tuple((each, words[each]) for each in kinds)
    choice = KindChoice(kind, {}, about, "", float(len(about)))
    source = _event_source(record, table, ways, times, unique, choice)
    entries = {
        name: Entry({"sql": column_sql(each.column), "unit": each.unit}, each.evidence)
        for name, each in wide.items()
    }
    return replace(source, wide=entries), choice.strength


def _times_for(record: Record, times: Sequence[TimeColumn], has_finish: bool) -> dict[str, Entry]:
    """The time of an event, and its end if its kind has one.

    The last of three or more offsets is the end if the kind has ends. The time is then the offset
    before it, and otherwise the first offset.
    """
    offsets = [each for each in times if each.is_offset]
    if not offsets or not record.clock:
        names = ("time", "finish") if has_finish else ("time",)
        return {name: time_entry(each) for name, each in zip(names, times, strict=False)}
    chosen = {"time": offsets[0]}
    if has_finish and len(offsets) >= 3:
        chosen = {"time": offsets[-2], "finish": offsets[-1]}
    return {
        name: offset_entry(quoted(each.column), record.clock, each.evidence)
        for name, each in chosen.items()
    }


def codes_of_stays(
    record: Record, table: TableFacts, fields: Sequence[Field], used_columns: set[str]
) -> list[tuple[ProposedSource, float]]:
    """Codes in columns of a table of stays: a source for each column."""
    level = next(e for e in reversed(record.levels) if e.column.table == table.name)
    ways = record.paths_from(table)
    times = {n: e for n, e in level_times(record, level, table).items() if n == "time"}
    sources = []
    for each in fields:
        kinds = {"icd": "diagnosis", "procedure code": "procedure", "ndc": "drug", "atc": "drug"}
        role = next((role for role in kinds if role in each.roles), "")
        if not role or each.through or each.facts.column.name in used_columns:
            continue
        choice = FieldChoice(
            each, (("values", f"{each.roles[role]:.0%} of the values fit ({role})"),)
        )
        source = proposed_source(
            kinds[role],
            table.name,
            ways,
            {**times, **chosen_entries({"code": choice})},
            choice.evidence,
            where=f"{each.sql} IS NOT NULL",
        )
        sources.append((source, each.roles[role]))
    return sources
