"""The sources of patients, stays, deaths and hospitals in a proposed map."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.ehr.database.names import quote_text
from wardround.ehr.records.proposal.entries import (
    aggregated,
    chosen_entries,
    column_sql,
    level_times,
    proposed_source,
)
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.fields import Field, fields_of, quoted
from wardround.ehr.records.proposal.hierarchy import KEY_OF, LevelKey, Path, paths
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.kinds import fill_columns
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
    fields = record.fields_of(table)
    choices = fill_columns(level.level, fields, {})
    if record.suggestions:
        taken = {level.column.name for level in record.levels}
        choices = record.suggestions.columns(level.level, table.name, fields, taken, choices)
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
    """The vital signs that are columns of their own."""
    names = [name for each in sources if each.kind == "vital" for name in each.wide]
    signs: dict[str, tuple[str, ...]] = {sign_meaning(name): (name,) for name in names}
    return {"vital.name": signs} if signs else {}
