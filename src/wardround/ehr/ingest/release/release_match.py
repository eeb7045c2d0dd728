"""Recognition of the release and version of a folder's files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.schema import Schema, load_schema

RELEASES = ("mimic_iii", "mimic_iv", "eicu")

Headers = Iterable[tuple[str, Iterable[str]]]


def check_release(schema: Schema, folder: Path, headers: Headers) -> None:
    """Refuse the files of another release.

    Args:
        schema: The expected release.
        folder: The folder of the files.
        headers: The table and the columns of each file.

    Raises:
        UserError: If another release matches more of the columns.
    """
    files = [(table, set(columns)) for table, columns in headers]
    known = _columns_of(schema, files)
    for name in RELEASES:
        if (matches := _columns_of(load_schema(name), files)) > known:
            raise UserError(
                f"Folder {folder} holds {name}, not {schema.name}: {matches} of the files' columns "
                f"match the first and {known} the second; build it as {name.replace('_', '-')}."
            )


def _columns_of(schema: Schema, files: Iterable[tuple[str, set[str]]]) -> int:
    schema_columns = {
        table.name: {column.name for column in table.columns} for table in schema.tables
    }
    return sum(len(columns & schema_columns.get(table, set())) for table, columns in files)


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
