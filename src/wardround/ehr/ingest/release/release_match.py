"""Tells a folder of one release from that of another, which has tables of the same names."""

from collections.abc import Iterable
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.schema import Schema, load_schema

RELEASES = ("mimic_iii", "mimic_iv", "eicu")

Headers = Iterable[tuple[str, Iterable[str]]]


def check_release(schema: Schema, folder: Path, headers: Headers) -> None:
    """Refuse files that are another release's.

    Args:
        schema: The release that was asked for.
        folder: Where the files lie.
        headers: The columns of each file, with the table that it is named after.

    Raises:
        UserError: If more of the columns are another release's than this one's.
    """
    files = [(table, set(columns)) for table, columns in headers]
    own = _columns_of(schema, files)
    for name in RELEASES:
        if (others := _columns_of(load_schema(name), files)) > own:
            raise UserError(
                f"Folder {folder} holds {name}, not {schema.name}: {others} of the files' columns "
                f"are of the one and {own} of the other; build it as {name.replace('_', '-')}."
            )


def _columns_of(schema: Schema, files: Iterable[tuple[str, set[str]]]) -> int:
    known = {table.name: {column.name for column in table.columns} for table in schema.tables}
    return sum(len(columns & known.get(table, set())) for table, columns in files)
