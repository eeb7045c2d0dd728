"""Values of a database's columns, and its similar columns, from which tasks are made."""

import re
from dataclasses import dataclass, field

from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.names import quote_name

_MOST_VALUES = 400


@dataclass
class DatabaseValues:
    """Looks things up in a database; of one statement's tables, where those are known.

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
            there = table in self.database.tables()
            found = self.database.columns(table) if there else []
            self._columns[table] = [column.name for column in found]
        return self._columns[table]

    def table_of(self, column: str) -> str:
        """The first of the tables that has a column; "" where none has."""
        return next((table for table in self.tables if column in self.columns(table)), "")

    def values(self, column: str) -> list[str]:
        """The texts that a column holds, the most frequent first; none where it is unknown."""
        table = self.table_of(column)
        if not table:
            return []
        name = quote_name(column)
        rows = self.rows(
            f"SELECT {name} FROM {quote_name(table)} "  # noqa: S608
            f"WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY COUNT(*) DESC, 1 LIMIT {_MOST_VALUES}"
        )
        return [str(row[0]) for row in rows]

    def relatives(self, column: str) -> tuple[str, list[str]]:
        """The word that a column shares with others of its table, and those others."""
        others = [one for one in self.columns(self.table_of(column)) if one != column]
        for word in sorted(_words(column), key=len, reverse=True):
            if alike := [one for one in others if word in _words(one)]:
                return word, alike
        return "", []

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """The rows of a query; none where it cannot be run."""
        try:
            return list(self.database.execute(sql, rows=_MOST_VALUES).rows)
        except QueryError:
            return []


def _words(column: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", column.lower()))
