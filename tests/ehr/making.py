"""Small databases for tests: all tables of a schema with selected cells."""

from collections.abc import Mapping, Sequence
from contextlib import closing

from wardround.ehr.database.engine import write_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_text
from wardround.ehr.schema import Column, Table, load_schema, quoted

Rows = Sequence[Mapping[str, Cell]]
_PLAIN: dict[str, Cell] = {"INTEGER": 0, "REAL": 0.0, "TEXT": "x", "DATE": "2100-01-01"}
_NOON = "2100-01-01 12:00:00"


def make_database(location: str, schema: str, rows: Mapping[str, Rows]) -> None:
    """Create all tables of a schema; required cells get default values."""
    with closing(write_database(location)) as target:
        for table in load_schema(schema).tables:
            target.create(table)
            if of_table := rows.get(table.name, ()):
                whole = (whole_row(table, number, row) for number, row in enumerate(of_table))
                values = ", ".join(f"({', '.join(map(_literal, row))})" for row in whole)
                target.execute(f"INSERT INTO {quoted(table.name)} VALUES {values}")


def whole_row(table: Table, number: int, row: Mapping[str, Cell]) -> list[Cell]:
    """All cells of a row; the key defaults to the row number."""
    plain = {column.name: _cell(table, column, number) for column in table.columns}
    return list({**plain, **row}.values())


def _cell(table: Table, column: Column, number: int) -> Cell:
    if (column.name,) == table.key and column.type == "INTEGER":
        return number
    return None if column.null else _PLAIN.get(column.type, _NOON)


def _literal(cell: Cell) -> str:
    if cell is None:
        return "NULL"
    return quote_text(cell) if isinstance(cell, str) else str(cell)
