"""Recognises which version a release is by its row counts, and where it departs from it."""

from collections.abc import Mapping

from wardround.ehr.schema import Schema


def recognise_version(schema: Schema, records: Mapping[str, int]) -> str | None:
    """The published version that most of the tables agree with, if more than half of them do.

    Args:
        schema: The release, with the rows that were published.
        records: Records by table, of the tables that are there.
    """
    agreeing = {
        version: sum(records.get(table) == rows for table, rows in published.items())
        for version, published in schema.rows.items()
    }
    most = max(agreeing.values(), default=0)
    best = [version for version, tables in agreeing.items() if tables == most]
    if len(best) != 1 or 2 * most <= len(schema.rows[best[0]].keys() & records.keys()):
        return None
    return best[0]


def departures(
    schema: Schema, version: str, records: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """The tables whose records differ from a version's, each with its own and the published."""
    published = schema.rows[version]
    return {
        table: (count, published[table])
        for table, count in records.items()
        if table in published and count != published[table]
    }
