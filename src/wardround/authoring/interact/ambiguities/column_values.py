"""Values of a database's columns, and its similar columns, from which tasks are made."""

import re
from dataclasses import dataclass, field

from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.names import quote_name

_MOST_VALUES = 400


@dataclass
class DatabaseValues:
    """Columns and values of the tables of one statement.

    Attributes:
        database: The database.
        tables: The tables that the gold names.
    """

    database: Database
    tables: tuple[str, ...]
    _columns: dict[str, list[str]] = field(default_factory=dict)

    def columns(self, table: str) -> list[str]:
        """A table's columns; none of one that is not there."""
        if table not in self._columns:
            exists = table in self.database.tables()
            columns = self.database.columns(table) if exists else []
            self._columns[table] = [column.name for column in columns]
        return self._columns[table]

    def table_of(self, column: str) -> str:
        """The first of the tables that has a column; "" where none has."""
        return next((table for table in self.tables if column in self.columns(table)), "")

    def values(self, column: str) -> list[str]:
        """The texts that a column holds, the most frequent first; none where it is unknown."""
        name = quote_name(column)
        rest = f"IS NOT NULL GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {_MOST_VALUES}"
        return [str(row[0]) for row in self._of_column(column, f"{name} {rest}")]

    def has_null(self, column: str) -> bool:
        """True if a column has a row without a value."""
        return bool(self._of_column(column, f"{quote_name(column)} IS NULL LIMIT 1"))

    def similar_columns(self, column: str) -> tuple[str, list[str]]:
        """The word that a column shares with others of its table, and those others."""
        others = [each for each in self.columns(self.table_of(column)) if each != column]
        for word in sorted(_words(column), key=len, reverse=True):
            if similar := [each for each in others if word in _words(each)]:
                return word, similar
        return "", []

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """The rows of a query; none where it cannot be run."""
        try:
            return list(self.database.execute(sql, rows=_MOST_VALUES).rows)
        except QueryError:
            return []

    def _of_column(self, column: str, condition: str) -> list[tuple[object, ...]]:
        """The values of a column under a condition; none where the column is unknown."""
        table = self.table_of(column)
        sql = f"SELECT {quote_name(column)} FROM {quote_name(table)} WHERE {condition}"  # noqa: S608
        return self.rows(sql) if table else []


def _words(column: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", column.lower()))
