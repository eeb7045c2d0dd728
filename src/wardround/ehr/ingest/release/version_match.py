"""Recognition of a release's version by its row counts, and differences from it."""

from collections.abc import Mapping

from wardround.ehr.schema import Schema


def recognise_version(schema: Schema, records: Mapping[str, int]) -> str | None:
    """The published version that matches most tables, if more than half of them.

    Args:
        schema: The release, with its published row counts.
        records: Record counts by table, for the present tables.
    """
    matches = {
        version: sum(records.get(table) == rows for table, rows in published.items())
        for version, published in schema.rows.items()
    }
    most = max(matches.values(), default=0)
    best = [version for version, tables in matches.items() if tables == most]
    if len(best) != 1 or 2 * most <= len(schema.rows[best[0]].keys() & records.keys()):
        return None
    return best[0]


def departures(
    schema: Schema, version: str, records: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Actual and published counts of the tables that differ from a version."""
    published = schema.rows[version]
    return {
        table: (count, published[table])
        for table, count in records.items()
        if table in published and count != published[table]
    }
