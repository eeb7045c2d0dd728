"""Values of columns, and similar columns, for making tasks."""

import re
from dataclasses import dataclass, field

from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.names import quote_name

_MOST_VALUES = 400


@dataclass
class DatabaseValues:
    """Columns and values of the tables of one statement.

    Attributes:
        database: the database.
        tables: the statement's tables.
    """

    database: Database
    tables: tuple[str, ...]
    _columns: dict[str, list[str]] = field(default_factory=dict)

    def columns(self, table: str) -> list[str]:
        """Returns a table's columns; none for a missing table."""
        if table not in self._columns:
            exists = table in self.database.tables()
            columns = self.database.columns(table) if exists else []
            self._columns[table] = [column.name for column in columns]
        return self._columns[table]

    def table_of(self, column: str) -> str:
        """Returns the first of the tables with a column; "" if there is none."""
        return next((table for table in self.tables if column in self.columns(table)), "")

    def values(self, column: str) -> list[str]:
        """Returns a column's values as texts, the most frequent first; none if it is unknown."""
        name = quote_name(column)
        rest = f"IS NOT NULL GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {_MOST_VALUES}"
        return [str(row[0]) for row in self._of_column(column, f"{name} {rest}")]

    def has_null(self, column: str) -> bool:
        """True if a column has NULL values."""
        return bool(self._of_column(column, f"{quote_name(column)} IS NULL LIMIT 1"))

    def similar_columns(self, column: str) -> tuple[str, list[str]]:
        """Returns a word that the column's name shares with others of its table, and these."""
        columns = [name for name in self.columns(self.table_of(column)) if name != column]
        for word in sorted(_words(column), key=len, reverse=True):
            if similar := [name for name in columns if word in _words(name)]:
                return word, similar
        return "", []

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Returns the rows of a query; none if it fails."""
        try:
            return list(self.database.execute(sql, rows=_MOST_VALUES).rows)
        except QueryError:
            return []

    def _of_column(self, column: str, condition: str) -> list[tuple[object, ...]]:
        """The values of a column under a condition; none if the column is unknown."""
        table = self.table_of(column)
        sql = f"SELECT {quote_name(column)} FROM {quote_name(table)} WHERE {condition}"  # noqa: S608
        return self.rows(sql) if table else []


def _words(column: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", column.lower()))
