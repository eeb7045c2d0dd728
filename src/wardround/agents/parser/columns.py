"""The columns of a database, and the sets of values that a question may name one of."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from wardround.ehr.database import Database

Types = Mapping[str, Mapping[str, str]]


class Domain(NamedTuple):
    """The values of a column, or of those of its rows that meet a condition.

    Attributes:
        where: Conditions `column = 'text'` on the same table, sorted.
    """

    table: str
    column: str
    where: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """What the domain is called among the words of a question.

        >>> Domain("d_items", "label", (("linksto", "inputevents"),)).name
        'd_items.label.inputevents'
        """
        return ".".join((self.table, self.column, *(value for _, value in self.where)))


def column_types(database: Database) -> Types:
    """The kind of each column, by table and name: "text", "whole", "number" or "time"."""
    return {
        table.lower(): {
            column.name.lower(): _kind(column.type.upper()) for column in database.columns(table)
        }
        for table in database.tables()
    }


def values_of(domain: Domain, database: Database) -> list[str]:
    """The distinct values of a domain, as text, sorted."""
    condition = "".join(f" AND {column} = '{_quoted(value)}'" for column, value in domain.where)
    column, table = domain.column, domain.table
    sql = f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL{condition}"  # noqa: S608
    rows = database.execute(sql, rows=None).rows
    return sorted(str(value) for (value,) in rows)


def _quoted(value: str) -> str:
    return value.replace("'", "''")


def _kind(declared: str) -> str:
    if re.search("TIME|DATE", declared):
        return "time"
    if "INT" in declared:
        return "whole"
    return "number" if re.search("DOUB|REAL|FLOA|NUM|DEC", declared) else "text"
