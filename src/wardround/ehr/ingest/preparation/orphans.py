"""Removal of rows whose patient, hospital stay or unit stay is gone."""

from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.working_database import count, delete
from wardround.ehr.schema import quoted


def drop_orphans(work: Work, table: str) -> None:
    """Remove a table's rows whose parent rows are gone."""
    for key in work.recipe.prepared().table(table).foreign_keys:
        if key.table in work.recipe.parents:
            column = quoted(key.column)
            parents = f"SELECT {quoted(key.target)} FROM {quoted(key.table)}"
            delete(work.connection, table, f"{column} IS NOT NULL AND {column} NOT IN ({parents})")


def drop_empty_people(work: Work) -> tuple[int, int]:
    """Remove people without a hospital stay; returns the counts before and after."""
    person, roster, stays = work.recipe.person, work.recipe.roster, work.recipe.stays
    before = people(work)
    delete(work.connection, roster, f"{person} NOT IN (SELECT {person} FROM {stays})")
    return before, people(work)


def keep_people(work: Work, chosen: str) -> tuple[int, int]:
    """Keep only the people that a query returns; returns the counts before and after."""
    before = people(work)
    for table in dict.fromkeys((work.recipe.roster, work.recipe.stays)):
        delete(work.connection, table, f"{work.recipe.person} NOT IN ({chosen})")
    return before, people(work)


def people(work: Work) -> int:
    """The number of people."""
    return count(
        work.connection, f"(SELECT DISTINCT {work.recipe.person} FROM {work.recipe.roster})"
    )
