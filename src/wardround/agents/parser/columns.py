"""Column types of a database, and the sets of values that questions name."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

from wardround.core.packaged_data import read_lines
from wardround.ehr.database import Database, quote_text

ColumnTypes: TypeAlias = Mapping[str, Mapping[str, str]]


# The keys of the tables of records.
_RECORD_KEYS = frozenset({"patient", "admission", "visit", "stay", "record"})


class Domain(NamedTuple):
    """The values of a column, or of its rows that meet a condition.

    Attributes:
        where: Conditions `column = 'text'` on the same table, sorted.
    """

    table: str
    column: str
    where: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The domain's name among the words of a masked question.

        >>> Domain("d_items", "label", (("linksto", "inputevents"),)).name
        'd_items.label.inputevents'
        """
        return ".".join((self.table, self.column, *(value for _, value in self.where)))


def column_types(database: Database) -> ColumnTypes:
    """The type of each column by table and name: "text", "whole", "number" or "time"."""
    return {
        table.lower(): {
            column.name.lower(): _type(column.type.upper()) for column in database.columns(table)
        }
        for table in database.tables()
    }


def is_id(column: str) -> bool:
    """True if a column holds identifiers or codes, by its name.

    >>> is_id("hadm_id"), is_id("admission"), is_id("valuenum")
    (True, True, False)
    """
    return column.lower().endswith("id") or column.lower() in _RECORD_KEYS


def read_values(domains: Iterable[Domain], database: Database) -> dict[Domain, tuple[str, ...]]:
    """The distinct values of each domain, as text, sorted."""
    return {domain: _values(domain, database) for domain in domains}


def _values(domain: Domain, database: Database) -> tuple[str, ...]:
    conditions = "".join(f" AND {column} = {quote_text(text)}" for column, text in domain.where)
    column, table = domain.column, domain.table
    sql = f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL{conditions}"  # noqa: S608
    rows = database.execute(sql, rows=None).rows
    return tuple(sorted(str(value) for (value,) in rows))


def _type(declared: str) -> str:
    if re.search("TIME|DATE", declared):
        return "time"
    if "INT" in declared:
        return "whole"
    return "number" if re.search("DOUB|REAL|FLOA|NUM|DEC", declared) else "text"


def noun(domain: Domain) -> str:
    """The noun for a value of a domain; the column's name where no line of the file matches.

    >>> noun(Domain("d_items", "label", (("linksto", "inputevents"),))), noun(Domain("bed", "side"))
    ('intake', 'side')
    """
    return noun_of(domain.name, domain.column)


def noun_of(name: str, column: str = "") -> str:
    """The noun for a domain by its name.

    Args:
        name: As in `Domain.name`.
        column: The noun where no line matches; the second part of the name by default.
    """
    known = (noun for pattern, noun in _nouns() if re.search(pattern, name.lower()))
    return next(known, (column or name.split(".")[1]).replace("_", " "))


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    lines = read_lines("wardround.agents.parser", "nouns.tsv")
    return tuple((pattern, noun) for pattern, noun in (line.split("\t") for line in lines))
