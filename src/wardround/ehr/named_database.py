"""Databases as they are typed, NAME=DATABASE; the name of a known layout may be left out."""

from contextlib import closing
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.ehr.database import open_database
from wardround.ehr.database.engine import engine_of
from wardround.ehr.schema import recognise

FHIR = "fhir"


def named_database(option: str) -> tuple[str, str]:
    """A database's name and place.

    Without a name it is that of the schema it is recognised as, or `fhir`.

    Raises:
        UserError: the file cannot be opened, or its schema is not known and no name was given.
    """
    name, equals, location = option.partition("=")
    # A URL may have an equals sign in what follows its question mark.
    return (name, location) if equals and not is_url(name) else (_recognised(option), option)


def _recognised(location: str) -> str:
    from wardround.ehr.fhir.locations import is_fhir  # most runs name no database

    if is_fhir(location):
        return FHIR
    if not is_url(location) and not Path(location).expanduser().exists():
        raise UserError(f"The database {location} does not exist; check the path.")
    if (schema := recognise(_columns(location))) is None:
        raise UserError(
            f"The schema of {location} is not one that wardround knows; give the database the name "
            f"that its tasks use, as --database NAME={location}."
        )
    return schema


def _columns(location: str) -> dict[str, list[str]]:
    """The column names of each table."""
    if not is_url(location) and (columns := engine_of(location).columns(location)):
        return columns
    with closing(open_database(location)) as database:
        tables = database.columns_by_table()
        return {table: [column.name for column in tables[table]] for table in tables}
