"""Entries of a proposed map: expressions of columns, FROM clauses, begins and ends."""

from collections.abc import Mapping, Sequence

from wardround.ehr.database.names import quote_text
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, TableFacts, filled_pairs
from wardround.ehr.records.proposal.fields import Field, alias, quoted
from wardround.ehr.records.proposal.hierarchy import LevelKey, Path
from wardround.ehr.records.proposal.kinds import FieldChoice
from wardround.ehr.records.proposal.model import Entry, ProposedSource, Record
from wardround.ehr.records.proposal.offsets import Clock
from wardround.ehr.records.proposal.times import TimeColumn, births, precision_of, span
from wardround.ehr.records.proposal.values import name_evidence, separator, stem_and_unit


def column_sql(column: Column) -> str:
    """The column as it is written in the map."""
    return f"{quoted(column.table)}.{quoted(column.name)}"


def from_clause(table: str, used: Sequence[Path | Field]) -> str:
    """The FROM clause with every table that the used columns need."""
    joins: dict[str, None] = {}
    for path in (each for each in used if isinstance(each, Path)):
        for join in path.joins:
            target, column = join.target, join.column
            on = f"{column_sql(target)} = {column_sql(column)}"
            joins[f"JOIN {quoted(target.table)} ON {on}"] = None
    for each in used:
        if isinstance(each, Field) and each.through:
            name, target = quoted(alias(each.through)), each.through.target
            on = f"{name}.{quoted(target.name)} = {column_sql(each.through.column)}"
            joins[f"LEFT JOIN {quoted(target.table)} AS {name} ON {on}"] = None
    return " ".join([quoted(table), *joins])


def proposed_source(
    kind: str,
    table: str,
    ways: Mapping[str, Path],
    entries: Mapping[str, Entry],
    evidence: Evidence,
    *,
    used: Sequence[Path | Field] = (),
    where: str = "",
) -> ProposedSource:
    """The records of a kind in a table: its keys, and those entries that the kind has.

    Args:
        kind: The kind of record.
        table: The table.
        ways: The paths to the keys of patients and stays.
        entries: Entries by column.
        evidence: The evidence for the kind.
        used: Further paths and fields that the entries read.
        where: A condition on the rows.
    """
    keys = {name: Entry({"sql": column_sql(p.column)}, p.evidence) for name, p in ways.items()}
    column_types = record_kinds()[kind].columns
    columns = {name: entry for name, entry in {**keys, **entries}.items() if name in column_types}
    return ProposedSource(
        kind, from_clause(table, [*ways.values(), *used]), columns, evidence, where
    )


def chosen_entries(choices: Mapping[str, FieldChoice]) -> dict[str, Entry]:
    """The entries of chosen fields; numbers that are written as text are read as numbers."""
    entries = {}
    for name, choice in choices.items():
        settings = {"sql": choice.field.sql}
        if choice.field.facts.type == "text" and name in ("age", "value", "rank", "low", "high"):
            settings = {"sql": _number(choice.field.sql)}
        mark = separator(choice.field.facts) if name == "code" else ""
        entries[name] = Entry({**settings, **({"split": mark} if mark else {})}, choice.evidence)
        unit = stem_and_unit(choice.field.facts.column.name)[1]
        if name in ("value", "dose") and unit and "unit" not in choices:
            about = (("unit", f"the unit in the name of {choice.field.facts.column.name}"),)
            entries["unit"] = Entry({"sql": quote_text(unit.name)}, about)
    return entries


def _number(sql: str) -> str:
    """The number that a text is, `> 89` included; NULL if it is not one."""
    return f"TRY_CAST(TRIM(REPLACE(REPLACE({sql}, '>', ''), '<', '')) AS DOUBLE)"


def time_entry(each: TimeColumn) -> Entry:
    """The entry of a column of times."""
    settings = {"sql": quoted(each.column), "precision": each.precision}
    return Entry(
        settings if each.precision != "second" else {"sql": quoted(each.column)}, each.evidence
    )


def level_times(record: Record, level: LevelKey, table: TableFacts) -> dict[str, Entry]:
    """The begin and end of stays, and the births and deaths of patients."""
    if level.level == "patient":
        return _life(table) if level.unique else _birth_in_stays(table)
    if record.clock and table.name == record.levels[-1].column.table:
        return _clock_times(record.clock, level)
    times = span(table)
    return {name: time_entry(each) for name, each in zip(("time", "finish"), times, strict=False)}


def _clock_times(clock: Clock, level: LevelKey) -> dict[str, Entry]:
    """The begin and end of stays as offsets; an admission begins and ends outside the others."""
    first, end = None, clock.ends[0]
    if level.level == "admission":
        first, end = clock.first, clock.ends[-1]
    begin = offset_entry(quoted(first.column) if first else "0", clock, (first or clock).evidence)
    return {"time": begin, "finish": offset_entry(quoted(end.column), clock, end.evidence)}


def offset_entry(sql: str, clock: Clock, evidence: Evidence) -> Entry:
    """The entry of a time that counts from the start of the stay."""
    return Entry({"start": "stay", "offset": sql, "unit": clock.unit}, evidence)


def _birth_in_stays(table: TableFacts) -> dict[str, Entry]:
    """The birth of patients that have no table of their own."""
    entries = {}
    for name in births(table)[:1]:
        about = ("order", "years before the other times")
        entries["birth"] = _day(table.columns[name], "birth", about)
    return entries


def _life(table: TableFacts) -> dict[str, Entry]:
    """Births spread over decades; deaths are fewer, and after them."""
    times = table.of_type("time")
    years = {c.column.name: [int(t[:4]) for t in c.texts] for c in times}
    born = [
        c
        for c in times
        if c.filled > 0.9 and max(years[c.column.name]) - min(years[c.column.name]) >= 40
    ]
    if not born:
        return {}
    birth = born[0]
    deaths = [c for c in times if 0 < c.filled < 0.9 and _after(birth, c)]
    entries = {"birth": _day(birth, "birth", ("spread", "its years spread over decades"))}
    if deaths:
        entries["death"] = _day(deaths[0], "death", ("order", "after each birth"))
    return entries


def _day(column: ColumnFacts, role: str, about: tuple[str, str]) -> Entry:
    """The entry of a day in the life of each patient."""
    name = column.column.name
    precision = {"precision": "day"} if precision_of(column) == "day" else {}
    return Entry({"sql": quoted(name), **precision}, (about, *name_evidence(name, role)))


def _after(births: ColumnFacts, deaths: ColumnFacts) -> bool:
    pairs = filled_pairs(births, deaths)
    return bool(pairs) and all(str(b)[:10] <= str(d)[:10] for b, d in pairs)


def aggregated(name: str, entry: Entry, record: Record) -> Entry:
    """One value of a stay's or patient's rows."""
    settings = dict(entry.settings)
    sql = settings.pop("sql", "")
    if "offset" in settings:
        unit = settings.pop("unit", "minute").upper()
        sql = f"{record.start} + INTERVAL ({settings.pop('offset')}) {unit}"
        settings.pop("start")
    first = "MAX" if name == "finish" else "MIN"
    return Entry({"sql": f"{first}({sql})", **settings}, entry.evidence)
