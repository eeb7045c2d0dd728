"""Facts about the columns of an unknown database, read from bounded samples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from wardround.ehr.database import Database, QueryError
from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_name

SAMPLE = 1000
_LETTERS = 200  # of a sampled text
_CELLS = 30_000_000  # bytes of a sample, below the limit of a result
_TIME = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?([+-]\d\d(:?\d\d)?|Z)?")

ColumnClass: TypeAlias = Literal["integer", "number", "text", "time", "empty"]


class Column(NamedTuple):
    """A column of a table."""

    table: str
    name: str


@dataclass(frozen=True)
class ColumnFacts:
    """A column and its sampled cells.

    Attributes:
        cells: A cell for each sampled row of the table.
        is_text: True if the database declares it as text.
        is_key: True if the database declares it as the primary key.
        references: The column that a declared foreign key points to.
    """

    column: Column
    cells: tuple[Cell, ...]
    is_text: bool = True
    is_key: bool = False
    references: Column | None = None

    @property
    def sql(self) -> str:
        """The column as SQL that can be compared with its values: a UUID is not a text."""
        name = quote_name(self.column.name)
        return name if self.is_text or self.type != "text" else f"CAST({name} AS VARCHAR)"

    @cached_property
    def values(self) -> tuple[Cell, ...]:
        """The cells that hold something."""
        return tuple(cell for cell in self.cells if cell is not None and cell != "")

    @cached_property
    def distinct(self) -> tuple[Cell, ...]:
        """The different values, in order of appearance."""
        return tuple(dict.fromkeys(self.values))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The different texts."""
        return tuple(value.strip() for value in self.distinct if isinstance(value, str))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The cells that are numbers, also where they are written as text."""
        return tuple(n for cell in self.values if (n := as_number(cell)) is not None)

    @cached_property
    def type(self) -> ColumnClass:
        """The type of the values, which may not be the declared one."""
        values = self.values
        if not values:
            return "empty"
        if all(isinstance(value, int) for value in values):
            return "integer"
        if all(isinstance(value, int | float) for value in values):
            return "number"
        times = sum(isinstance(v, str) and bool(_TIME.fullmatch(v)) for v in values)
        return "time" if times >= 0.98 * len(values) else "text"

    @property
    def filled(self) -> float:
        """The share of rows with a value."""
        return len(self.values) / len(self.cells) if self.cells else 0.0


@dataclass(frozen=True)
class TableFacts:
    """A table: about how many rows it has, and its columns."""

    name: str
    rows: int
    columns: Mapping[str, ColumnFacts]

    def of_type(self, *types: ColumnClass) -> list[ColumnFacts]:
        """The columns of some types, in order."""
        return [column for column in self.columns.values() if column.type in types]


Facts: TypeAlias = Mapping[str, TableFacts]


def filled_pairs(first: ColumnFacts, second: ColumnFacts) -> list[tuple[Cell, Cell]]:
    """The cells of two columns of a table in the sampled rows where both hold something."""
    return [
        (a, b)
        for a, b in zip(first.cells, second.cells, strict=True)
        if a not in (None, "") and b not in (None, "")
    ]


def as_number(cell: Cell) -> float | None:
    """The number in a cell, if it holds nothing else.

    >>> as_number("7.5"), as_number("> 89")
    (7.5, None)
    """
    if isinstance(cell, int | float):
        return float(cell)
    try:
        return float(cell) if isinstance(cell, str) and cell[-1:].isdigit() else None
    except ValueError:
        return None


def read_facts(database: Database) -> dict[str, TableFacts]:
    """The facts of every table with rows; a table whose only row repeats its header has none."""
    tables = (_table_facts(database, table) for table in database.tables())
    return {facts.name: facts for facts in tables if facts and not _is_header(facts)}


def _is_header(facts: TableFacts) -> bool:
    """True if the only row names columns: a file that was loaded without a header."""
    cells = [cell for column in facts.columns.values() for cell in column.cells]
    named = [c for c in cells if isinstance(c, str) and re.fullmatch(r"[A-Za-z]+(_\w+)+", c)]
    return facts.rows == 1 and len(named) > 0.6 * len(cells)


def _table_facts(database: Database, table: str) -> TableFacts | None:
    columns = database.columns(table)
    rows = _row_count(database, table)
    if not rows:
        return None
    sampled = _sample(database, table, columns, rows)
    cells = zip(*sampled, strict=True) if sampled else [()] * len(columns)
    single = sum(1 for column in columns if column.primary_key) == 1
    facts = {
        info.name: ColumnFacts(
            Column(table, info.name),
            tuple(values),
            _is_text(info),
            single and info.primary_key > 0,
            _reference(info),
        )
        for info, values in zip(columns, cells, strict=True)
    }
    return TableFacts(table, rows, facts)


def _reference(info: ColumnInfo) -> Column | None:
    match = re.fullmatch(r"\"?([^(\"]+)\"?\(\"?([^)\"]+)\"?\)", info.references or "")
    return Column(match[1], match[2]) if match else None


def _row_count(database: Database, table: str) -> int:
    """The number of rows: from the engine's statistics where counting reads the whole table."""
    name = quote_name(table)
    estimates = {
        "sqlite": f"SELECT MAX(rowid) FROM {name}",  # noqa: S608
        "postgres": f"SELECT reltuples FROM pg_class WHERE oid = '{name}'::regclass",  # noqa: S608
    }
    if sql := estimates.get(database.dialect):
        try:
            count = database.execute(sql).rows[0][0]
        except QueryError:  # a view has no rows of its own, and statistics may be denied
            count = None
        if isinstance(count, int | float) and count > 0:
            return int(count)
    return int(str(database.execute(f"SELECT COUNT(*) FROM {name}", seconds=600).rows[0][0]))  # noqa: S608


def _sample(
    database: Database, table: str, columns: Sequence[ColumnInfo], rows: int
) -> Sequence[tuple[Cell, ...]]:
    """Rows from all over the table, the same each time."""
    size = min(SAMPLE, _CELLS // (_LETTERS * 4 * len(columns)))
    listed = ", ".join(_shortened(column) for column in columns)
    select, name = f"SELECT {listed} FROM {quote_name(table)}", quote_name(table)  # noqa: S608
    fallback = f"{select} LIMIT {size}"
    # Blocks are sampled, of which each has rows of the same time: their rows are shuffled.
    shuffled = "ORDER BY MD5(CAST(ctid AS VARCHAR))"
    spread = {
        "duckdb": f"{select} USING SAMPLE reservoir({size} ROWS) REPEATABLE (1)",
        "postgres": (
            f"SELECT {listed} FROM {name} TABLESAMPLE SYSTEM"  # noqa: S608
            f" ({min(100.0, 300.0 * size / rows):.6f}) REPEATABLE (1) {shuffled} LIMIT {size}"
        ),
    }
    if database.dialect == "sqlite" and rows > size:
        chosen = ", ".join(map(str, sorted(Random(1).sample(range(1, rows + 1), size))))
        spread["sqlite"] = f"{select} WHERE rowid IN ({chosen})"
    try:
        sampled = database.execute(spread.get(database.dialect, fallback), rows=None).rows
    except QueryError:  # a view cannot be sampled
        sampled = []
    return sampled or database.execute(fallback, rows=None).rows


def _shortened(column: ColumnInfo) -> str:
    name = quote_name(column.name)
    return f"SUBSTR({name}, 1, {_LETTERS}) AS {name}" if _is_text(column) else name


def _is_text(column: ColumnInfo) -> bool:
    return any(word in column.type.upper() for word in ("CHAR", "TEXT", "STRING", "CLOB"))
