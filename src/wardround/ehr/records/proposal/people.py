"""The sources of patients, stays, deaths and hospitals in a proposed map."""

from collections.abc import Iterator, Sequence

from wardround.ehr.database.names import quote_text
from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.entries import (
    aggregated,
    chosen_entries,
    column_sql,
    from_clause,
    level_times,
)
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.fields import Field, fields_of, quoted
from wardround.ehr.records.proposal.hierarchy import KEY_OF, LevelKey, Path, paths
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.kinds import (
    fill_columns,
)
from wardround.ehr.records.proposal.model import (
    Entry,
    ProposedSource,
    Record,
)
from wardround.ehr.records.proposal.values import is_of, name_evidence, sexes, sign_meaning


def level_sources(record: Record) -> Iterator[ProposedSource]:
    """The sources of patients and of their stays."""
    for at, level in enumerate(record.levels):
        yield _level_source(record, level, at)


def _level_source(record: Record, level: LevelKey, at: int) -> ProposedSource:
    table = record.facts[level.column.table]
    ways = paths(table.name, record.levels[: at + 1], record.links)
    fields = fields_of(record.database, record.facts, table, record.links, record.people)
    choices = fill_columns(level.level, fields, {})
    if record.suggestions:
        taken = {level.column.name for level in record.levels}
        free = [f for f in fields if f.facts.column.name not in taken and f.facts.type != "time"]
        choices = record.suggestions.columns(level.level, table.name, free, choices)
    key = KEY_OF[level.level]
    ways[key] = Path((), level.column, level.evidence)
    keys = {name: Entry({"sql": column_sql(p.column)}, p.evidence) for name, p in ways.items()}
    entries = {
        **keys,
        **_hospital_key(record, table.name),
        **level_times(record, level, table),
        **chosen_entries(choices),
    }
    known = record_kinds()[level.level].columns
    entries = {name: entry for name, entry in entries.items() if name in known}
    if not level.unique:
        entries = {n: e if n == key else aggregated(n, e, record) for n, e in entries.items()}
    used: list[Path | Field] = [*ways.values(), *(c.field for c in choices.values())]
    tables = from_clause(table.name, used)
    return ProposedSource(
        level.level, tables, entries, level.evidence, one_per="" if level.unique else key
    )


def deaths(record: Record) -> Iterator[ProposedSource]:
    """Deaths in the hospital: stays that say so where the patient went."""
    for level in record.levels[1:]:
        table = record.facts[level.column.table]
        fields = fields_of(record.database, record.facts, table, record.links, record.people)
        dead = [f for f in fields if "dead" in f.roles and not f.through]
        if not dead:
            continue
        best = max(dead, key=lambda f: (-len(f.facts.texts), f.roles["dead"]))
        words = [text for text in best.facts.texts if is_of("dead", text)]
        ways = paths(table.name, record.levels, record.links)
        times = level_times(record, level, table)
        entries = {n: Entry({"sql": column_sql(p.column)}, p.evidence) for n, p in ways.items()}
        if "finish" in times:
            entries["time"] = times["finish"]
        entries = {n: e for n, e in entries.items() if n in record_kinds()["death"].columns}
        listed = ", ".join(quote_text(word) for word in words)
        column = best.facts.column.name
        about: Evidence = (
            ("words", "values that say so"),
            *name_evidence(column, "death", "destination", "status"),
        )
        yield ProposedSource(
            "death",
            from_clause(table.name, [*ways.values()]),
            entries,
            about,
            f"{best.sql} IN ({listed})",
        )
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


def written_sexes(
    record: Record, sources: Sequence[ProposedSource]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words for the sexes: they are everyone's, and no value of a patient."""
    table = record.facts[record.levels[0].column.table]
    fields = fields_of(record.database, record.facts, table, record.links, record.people)
    texts = next((f.facts.texts for f in fields if "sex" in f.roles), ())
    return {"patient.sex": sexes(texts)} if texts else {}


def written_signs(sources: Sequence[ProposedSource]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The vital signs that are columns of their own."""
    names = [name for each in sources if each.kind == "vital" for name in each.wide]
    signs: dict[str, tuple[str, ...]] = {sign_meaning(name): (name,) for name in names}
    return {"vital.name": signs} if signs else {}
