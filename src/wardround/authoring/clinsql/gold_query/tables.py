"""The records that gold queries read: tables of a record map, and names of columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from sqlglot import exp

from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_columns
from wardround.ehr.records import (
    JoinedRows,
    RecordMap,
    joined_rows,
    load_map,
    published_map,
)
from wardround.ehr.schema import load_schema

DIALECT = "bigquery"
# The kinds whose times are compared with those of stays.
_TIMED = ("admission", "icu", "lab", "vital", "drug", "intervention")
_ALIASES = {"patient": "p", "admission": "a", "diagnosis": "d", "icu": "i", "comorbidity": "m"}
# The roles that stages hand on, each under a name of its own.
_STAY = (
    ("patient", "patient"),
    ("admission", "admission"),
    ("admission", "time"),
    ("admission", "finish"),
    ("admission", "died"),
    ("icu", "stay"),
    ("icu", "time"),
    ("icu", "finish"),
)


@dataclass(frozen=True, eq=False)
class RecordTables:
    """The tables of a map.

    Attributes:
        records: The map.
        columns: The columns of each table, in the order of the layout.
        tests: The units of tests by name and kind of record, where tests have no item ids that are
            known.
    """

    records: RecordMap
    columns: Mapping[str, tuple[str, ...]]
    tests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def rows(self, kind: str, alias: str = "", beside: tuple[str, ...] = ()) -> JoinedRows:
        """The records of a kind in a FROM clause; other kinds stand there under their aliases."""
        return _rows(self, kind, alias or _ALIASES.get(kind, "e"), beside)

    def name(self, kind: str, column: str) -> str:
        """The name of a column of a stay in the stages of a query."""
        return self._names[kind, column]

    def key(self, cohort: CohortSpec) -> str:
        """The column that names a stay of a cohort."""
        return self.name("icu", "stay") if cohort.icu else self.name("admission", "admission")

    @property
    def is_published(self) -> bool:
        """True for the layout of published items, whose columns checks of conditions know."""
        return bool(self.records.dataset)

    @cached_property
    def is_by_day(self) -> bool:
        """True if times are known to the day: then stays and windows are counted in days."""
        timed = (self.records.kinds[kind] for kind in _TIMED if self.records.has(kind, "time"))
        return any(
            each.columns["time"].precision != "second" for sources in timed for each in sources
        )

    def time(self, rows: JoinedRows, column: str = "time") -> str:
        """A time of records; a date if times are known to the day."""
        text = sql(rows, column)
        return f"DATE({text})" if self.is_by_day else text

    def table_of(self, kind: str) -> str:
        """The name of the table of a kind's records."""
        return self.rows(kind, "e").table.name.rpartition(".")[2]

    def has_end(self, spec: QuestionSpec) -> bool:
        """True if stages hand on how a stay ended: as a column, or computed for the result."""
        if not self.records.has("admission", spec.end):
            return False
        return spec.reads_end or self.rows("admission").is_plain(spec.end)

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        """Names by kind and column: the column's own where no other has it."""
        plain = {role: self._plain_name(*role) for role in _STAY if self.records.has(*role)}
        plain_names = list(plain.values())
        names = {
            (kind, column): name if name and plain_names.count(name) == 1 else f"{kind}_{column}"
            for (kind, column), name in plain.items()
        }
        return {**names, ("admission", "destination"): "discharge_location"}

    def _plain_name(self, kind: str, column: str) -> str:
        rows = self.rows(kind)
        return rows.columns[column].name if rows.is_plain(column) else ""


@lru_cache(512)
def _rows(tables: RecordTables, kind: str, alias: str, beside: tuple[str, ...]) -> JoinedRows:
    return joined_rows(tables.records, kind, alias, [tables.rows(each) for each in beside])


def read_tables(database: Database) -> RecordTables | None:
    """The tables of a database; None if no packaged map fits it."""
    columns = {
        table: tuple(column.name for column in database.columns(table))
        for table in database.tables()
    }
    columns.setdefault(CHARLSON, charlson_columns())
    records = published_map(columns)
    if records is None:
        return None
    return RecordTables(records, _in_order(records, columns))


def published_tables() -> RecordTables:
    """The tables of MIMIC-IV as published items read them."""
    records = load_map("mimic_iv_bigquery")
    return RecordTables(records, _in_order(records, {CHARLSON: charlson_columns()}))


def _in_order(
    records: RecordMap, columns: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """The columns of the layout's tables, then of other tables."""
    layout = {
        table.name: tuple(column.name for column in table.columns)
        for table in load_schema(records.layout).tables
    }
    return {**layout, **{name: names for name, names in columns.items() if name not in layout}}


def sql(rows: JoinedRows, column: str) -> str:
    """A column of records as text."""
    return rows.columns[column].sql(DIALECT)


def key_sql(rows: JoinedRows, column: str) -> str:
    """A key of records, to be compared with a recorded stay's."""
    return rows.key(column).sql(DIALECT)


def selected(expression: str, name: str) -> str:
    """An item of a select list; a column of that name needs no alias.

    >>> selected("a.hadm_id", "hadm_id"), selected("DATE(a.day)", "day")
    ('a.hadm_id', 'DATE(a.day) AS day')
    """
    alias, _, column = expression.partition(".")
    return expression if column == name and alias.isidentifier() else f"{expression} AS {name}"


def from_rows(query: exp.Select, rows: JoinedRows) -> exp.Select:
    """A query of records."""
    return _with_lookups(query.from_(rows.table.copy(), copy=False), rows)


def join_rows(query: exp.Select, rows: JoinedRows, on: str) -> exp.Select:
    """A query with records joined to it."""
    joined = query.join(rows.table.copy(), on=on, dialect=DIALECT, copy=False)
    return _with_lookups(joined, rows)


def join_stays(
    query: exp.Select, rows: JoinedRows, column: str, stay: str, patient: str
) -> exp.Select:
    """A query with records joined by the key of their stay.

    Args:
        query: The query, which has recorded stays in its FROM clause.
        rows: The records.
        column: Their key of the stay.
        stay: The key of the stays.
        patient: The key of the stays' patients.
    """
    key = rows.key(column)
    if all(each.table == rows.alias for each in key.find_all(exp.Column)):
        return join_rows(query, rows, f"{stay} = {key.sql(DIALECT)}")
    query = join_rows(query, rows, f"{patient} = {sql(rows, 'patient')}")
    return query.where(f"{stay} = {key.sql(DIALECT)}", dialect=DIALECT, copy=False)


def _with_lookups(query: exp.Select, rows: JoinedRows) -> exp.Select:
    for lookup in rows.lookups:
        query.append("joins", lookup.copy())
    return query.where(rows.where.copy(), copy=False) if rows.where is not None else query


def hours_between(rows: JoinedRows, tables: RecordTables) -> str:
    """The hours from the time of records to their end; of days, their hours."""
    start, end = tables.time(rows), tables.time(rows, "finish")
    if tables.is_by_day:
        return f"24 * DATE_DIFF({end}, {start}, DAY)"
    return f"DATETIME_DIFF({end}, {start}, HOUR)"
