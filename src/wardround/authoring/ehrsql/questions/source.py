"""A database that questions are made from, with its schema and dialect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from wardround.authoring.ehrsql.templates.question_sql import in_dialect
from wardround.authoring.ehrsql.templates.records import RELEASED, Records, load_records
from wardround.core.errors import NoPairsError
from wardround.ehr.database import Cell, Database
from wardround.ehr.schema import recognise
from wardround.ehr.times import Dialect

_MOST_ROWS = 300_000
_LONG = 120.0
_DIALECTS: Mapping[str, Dialect] = {name: name for name in get_args(Dialect)}


@dataclass(frozen=True)
class Source:
    """A database that questions are made from.

    Attributes:
        schema: the name of its schema, or `RELEASED`.
    """

    database: Database
    schema: str
    dialect: Dialect

    @cached_property
    def records(self) -> Records:
        """The tables and columns of the schema's events."""
        return load_records(self.schema)

    def rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        """Runs a query in SQLite's dialect and the base schema's names, and returns its rows."""
        transpiled = in_dialect(sql, self.dialect, self.schema)
        return self.database.execute(transpiled, rows=_MOST_ROWS, seconds=_LONG).rows


def source_of(database: Database) -> Source:
    """Recognises the schema of a database.

    Raises:
        NoPairsError: the schema or dialect is not one of EHRSQL's questions.
    """
    columns = {t: [c.name.lower() for c in database.columns(t)] for t in database.tables()}
    schema = recognise(columns)
    diagnoses = {name.lower(): names for name, names in columns.items()}.get("diagnoses_icd", ())
    released = schema == "ehrsql_mimic_iv" and "icd_version" not in diagnoses
    try:
        dialect = _DIALECTS[database.dialect]
        source = Source(database, RELEASED if released else schema or "", dialect)
        load_records(source.schema)
    except KeyError:
        raise NoPairsError(
            f"Database {database.url} is in no form that EHRSQL's questions are asked of (it looks "
            f"like {schema or 'no known schema'}, on {database.dialect}); prepare it with "
            "`wardround data prepare` or make one with `wardround data hospital`."
        ) from None
    return source
