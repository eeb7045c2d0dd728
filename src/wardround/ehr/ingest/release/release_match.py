"""Detection of a folder that holds another release with the same table names."""

from collections.abc import Iterable
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
    own = _columns_of(schema, files)
    for name in RELEASES:
        if (matches := _columns_of(load_schema(name), files)) > own:
            raise UserError(
                f"Folder {folder} holds {name}, not {schema.name}: {matches} of the files' columns "
                f"match the first and {own} the second; build it as {name.replace('_', '-')}."
            )


def _columns_of(schema: Schema, files: Iterable[tuple[str, set[str]]]) -> int:
    known = {table.name: {column.name for column in table.columns} for table in schema.tables}
    return sum(len(columns & known.get(table, set())) for table, columns in files)
