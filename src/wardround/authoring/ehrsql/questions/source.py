"""A database that questions are made from, with its records and dialect."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wardround.authoring.ehrsql.templates.layout_tables import LAYOUTS, layout_map, layout_records
from wardround.authoring.ehrsql.templates.question_sql import in_dialect
from wardround.authoring.ehrsql.templates.record_views import view_records
from wardround.authoring.ehrsql.templates.records import RELEASED, Records
from wardround.ehr.database import Cell, Database, Dialect
from wardround.ehr.records import dialect_of, record_map, records_of
from wardround.ehr.schema import recognise

_MOST_ROWS = 300_000
_LONG = 120.0


@dataclass(frozen=True)
class Source:
    """A database that questions are made from."""

    database: Database
    records: Records
    dialect: Dialect

    @property
    def schema(self) -> str:
        """The name of the database's layout."""
        return self.records.schema

    def rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        """Returns the rows of a query that is written in SQLite's dialect over the record views.

        Raises:
            MissingRecordsError: it reads what the records lack.
        """
        transpiled = in_dialect(sql, self.dialect, self.records)
        return self.database.execute(transpiled, rows=_MOST_ROWS, seconds=_LONG).rows


def source_of(database: Database, map_path: Path | None = None) -> Source:
    """Finds the records of a database: EHRSQL's layouts are asked about by their tables.

    Args:
        database: the database.
        map_path: a record map of its own; that of its layout if left out.

    Raises:
        UserError: no record map fits the database, or questions are not written for its engine.
    """
    dialect = dialect_of(database)
    columns = {t: [c.name.lower() for c in database.columns(t)] for t in database.tables()}
    layout = recognise(columns)
    if map_path or layout not in LAYOUTS:
        return Source(database, view_records(records_of(database, map_path)), dialect)
    present = record_map(columns)
    if present is None:
        raise KeyError(layout)
    # Codes of the released database include their system.
    is_released = layout == "ehrsql_mimic_iv" and not present.has("diagnosis", "system")
    schema = RELEASED if is_released else layout
    known = layout_map(schema)
    kinds = {kind: sources for kind, sources in known.kinds.items() if present.has(kind)}
    return Source(database, layout_records(replace(known, kinds=kinds), schema), dialect)
