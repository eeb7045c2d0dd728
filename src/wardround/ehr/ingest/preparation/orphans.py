"""Removes rows that no longer have the patient, the hospital stay or the unit stay they are of."""

from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.working_database import count, delete
from wardround.ehr.schema import quoted


def drop_orphans(work: Work, table: str) -> None:
    """Remove a table's rows whose parent rows are gone."""
    for key in work.form.prepared().table(table).foreign_keys:
        if key.table in work.form.parents:
            column = quoted(key.column)
            kept = f"SELECT {quoted(key.target)} FROM {quoted(key.table)}"
            delete(work.lake, table, f"{column} IS NOT NULL AND {column} NOT IN ({kept})")


def drop_empty_people(work: Work) -> tuple[int, int]:
    """Remove people without a hospital stay; how many there were before and after."""
    person, roster, stays = work.form.person, work.form.roster, work.form.stays
    before = people(work)
    delete(work.lake, roster, f"{person} NOT IN (SELECT {person} FROM {stays})")
    return before, people(work)


def keep_people(work: Work, chosen: str) -> tuple[int, int]:
    """Keep only the people that a query returns; how many there were before and after."""
    before = people(work)
    for table in dict.fromkeys((work.form.roster, work.form.stays)):
        delete(work.lake, table, f"{work.form.person} NOT IN ({chosen})")
    return before, people(work)


def people(work: Work) -> int:
    """How many people there are."""
    return count(work.lake, f"(SELECT DISTINCT {work.form.person} FROM {work.form.roster})")
