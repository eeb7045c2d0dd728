"""Records that are rows of one table: their own columns, and the dictionary that names them."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp, parse_one

from wardround.ehr.records.map_file import DIALECT, conjuncts, parse_tables
from wardround.ehr.records.model import Source
from wardround.ehr.records.partial_schema import column_place


@dataclass(frozen=True, slots=True)
class Lookup:
    """The dictionary in which a text of records is looked up.

    Attributes:
        table: The dictionary.
        column: Its column with the text.
        codes: The columns of the records' table that are looked up.
        where: The condition on the dictionary's rows; empty for all.
    """

    table: str
    column: str
    codes: tuple[str, ...]
    where: str = ""


def main_table(source: Source) -> str:
    """The table of the records, in the source's spelling.

    >>> main_table(Source("lab JOIN item ON item.id = lab.item", {}))
    'lab'
    """
    table: exp.Table = parse_tables(source.tables).args["from_"].this
    return table.name


def own_column(source: Source, name: str) -> str | None:
    """The column of the records' own table that holds, or equals, a column of a source.

    None if the source has no such column, or reads it from several or elsewhere.
    """
    read = column_place(source, name) if name in source.columns else None
    if read is None:
        return None
    main = main_table(source)
    if read[0] == main:
        return read[1]
    equal = (sides for sides in _equal_columns(source) if read in sides)
    others = (other for sides in equal for other in sides if other[0] == main)
    return next((column for _, column in others), None)


def lookup(source: Source, name: str) -> Lookup | None:
    """The dictionary of a column of a source; None if it is a column of the records' own table."""
    read = column_place(source, name) if name in source.columns else None
    main = main_table(source)
    if read is None or read[0] == main:
        return None
    joins: list[exp.Join] = parse_tables(source.tables).args.get("joins") or []
    join = next(join for join in joins if join.this.name == read[0])
    codes, conditions = [], []
    for part in conjuncts(join.args["on"]):
        names = [column.name for column in part.find_all(exp.Column) if column.table == main]
        codes += names
        conditions += [] if names else [part.sql(DIALECT)]
    return Lookup(*read, tuple(codes), " AND ".join(conditions))


def is_present_test(source: Source, name: str) -> bool:
    """True if a source's rows are those in which a column is filled in."""
    if not source.where or name not in source.columns:
        return False
    column = parse_one(source.columns[name].sql, read=DIALECT)
    return parse_one(source.where, read=DIALECT) == exp.not_(
        exp.Is(this=column, expression=exp.null())
    )


def _equal_columns(source: Source) -> Iterator[tuple[tuple[str, str], ...]]:
    """The pairs of columns that the joins of a source make equal."""
    for join in parse_tables(source.tables).args.get("joins") or ():
        for part in conjuncts(join.args["on"]):
            sides = tuple((c.table, c.name) for c in part.find_all(exp.Column))
            if isinstance(part, exp.EQ) and len(sides) == 2:
                yield sides
