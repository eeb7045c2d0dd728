"""The schema as far as the tools have shown it, with the records of each kind as views."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

import orjson

from wardround.ehr.database import Dialect
from wardround.ehr.records import RecordMap, Role, Source, Views, distinct_view, present_kinds, view
from wardround.ehr.records.partial_schema import (
    first_place,
    fitting_map,
    optional_tables,
    source_tables,
    written_texts,
)

Columns = tuple[str, ...]

# The columns of a culture that separate results by drug.
_OF_ONE_DRUG = ("record", "antibiotic", "interpretation")

# Users ask which organism a culture grew, and the dose of a drug.
_RECORDED = {
    Role("culture", "name"): "organism",
    Role("culture", "specimen"): "name",
    Role("drug", "value"): "dose",
    Role("drug", "class"): "name",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """The known tables and columns.

    Attributes:
        tables: The names of all tables.
        columns: The columns of the tables read so far.
    """

    tables: tuple[str, ...] = ()
    columns: Mapping[str, Columns] = field(default_factory=dict)

    def has(self, kind: str) -> bool:
        """True if there are tables for a kind of record."""
        return bool(self._tables(kind))

    def can_read(self, kind: str) -> bool:
        """True if the columns that tell records of a kind apart are known to be there."""
        return self._records().has(kind)

    def has_table_about(self, topic: str) -> bool:
        """True if the name of a table has a word of a topic."""
        tables = " ".join(self.tables).lower()
        return any(word.removesuffix("s") in tables for word in topic.split())

    def offers(self, kind: str, part: str) -> bool:
        """True if a kind of record is known to have a column."""
        return self._records().has(kind, recorded(kind, part))

    def table_and_column(self, kind: str, part: str) -> tuple[str, str]:
        """The database table and column behind a column of a record view.

        Raises:
            KeyError: It is not known, or not in one column; check `offers` first.
        """
        column = first_place(self._records().kinds[kind][0], recorded(kind, part))
        if column is None:
            raise KeyError(part)
        return column

    def written(self, kind: str, part: str) -> tuple[str, ...]:
        """The texts that the map itself writes into a column; empty if the database holds them."""
        return written_texts(self._records().kinds[kind][0], recorded(kind, part))

    def unread(self, kinds: Iterable[str]) -> list[str]:
        """The tables of these kinds whose columns are not known yet."""
        wanted = dict.fromkeys(table for kind in kinds for table in self._tables(kind))
        return [table for table in wanted if table not in self.columns]

    def views(self, kinds: Iterable[str], dialect: Dialect) -> Views:
        """The records of some kinds, and of patients and hospital stays, as queries.

        If the table of patients was not read, patients with a hospital stay count.
        """
        records = self._records()
        read = [k for k in dict.fromkeys((*kinds, "admission", "patient")) if records.has(k)]
        sql = {kind: view(records, kind, dialect) for kind in read}
        columns = {kind: records.columns(kind) for kind in read}
        if "antibiotic" in columns.get("culture", ()):  # a row for each drug that was tested
            culture_columns = tuple(name for name in columns["culture"] if name not in _OF_ONE_DRUG)
            sql["culture"] = distinct_view(view(records, "culture", dialect, culture_columns))
            columns["culture"] = culture_columns
        if "admission" in sql:  # the rows of ICU stays repeat those of hospital stays
            sql["admission"] = distinct_view(sql["admission"])
            sql.setdefault("patient", view(records, "admission", dialect, ["patient"]))
            columns.setdefault("patient", ("patient",))
        return Views(dialect, sql, columns, records.written)

    def _tables(self, kind: str) -> tuple[str, ...]:
        """The tables of a kind by the names listed; empty if one that it needs is not there."""
        listed = {table.lower(): table for table in self.tables}
        if (source := self._source(kind)) is None:
            return ()
        needed = source_tables(source)
        if not set(needed) <= set(listed):
            return ()
        return tuple(listed[t] for t in (*needed, *optional_tables(source)) if t in listed)

    def _source(self, kind: str) -> Source | None:
        """The first source of a kind; the records in a wide table have no names to look up."""
        records = _map_of(self.tables, tuple(sorted(self.columns.items())))
        sources = records.kinds.get(kind, ()) if records else ()
        return next((source for source in sources if not source.wide), None)

    def _records(self) -> RecordMap:
        """The records of which the columns are known."""
        return _known_records(self.tables, tuple(sorted(self.columns.items())))


def recorded(kind: str, part: str) -> str:
    """The column of a kind of record that holds what users call a part."""
    return _RECORDED.get(Role(kind, part), part)


def columns_shown(description: str) -> Columns:
    r"""The columns in a table as a tool shows it: the first line that is a JSON array.

    >>> columns_shown('CREATE TABLE ward (floor INTEGER)\n3 rows of ward:\n["floor"]\n[1]')
    ('floor',)
    """
    line = next((line for line in description.splitlines() if line.startswith("[")), "[]")
    return tuple(str(name) for name in orjson.loads(line))


@cache
def _map_of(tables: tuple[str, ...], columns: tuple[tuple[str, Columns], ...]) -> RecordMap | None:
    return fitting_map(tables, dict(columns))


@cache
def _known_records(tables: tuple[str, ...], columns: tuple[tuple[str, Columns], ...]) -> RecordMap:
    records = _map_of(tables, columns)
    return present_kinds(records, dict(columns)) if records else RecordMap("", {})
