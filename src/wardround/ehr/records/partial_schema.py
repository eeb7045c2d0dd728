"""The record map of a database of which only the tables, and some of their columns, are known."""

from collections.abc import Collection
from functools import cache

from sqlglot import exp, parse_one

from wardround.ehr.records.map_file import DIALECT, parse_tables
from wardround.ehr.records.model import RecordMap, Source
from wardround.ehr.records.recognition import ColumnTypes, maps_naming, missing


def fitting_map(tables: Collection[str], columns: ColumnTypes) -> RecordMap | None:
    """The map that lacks the fewest columns of the tables read, then the fewest tables.

    A layout's tables may be missing where a release has none of their rows, such as notes. None if
    no map has most of its tables there.

    Args:
        tables: The names of all tables, in any case.
        columns: The columns of the tables read so far.
    """
    names = {table.lower() for table in tables}
    tables_read = {table.lower() for table in columns}

    def absent(records: RecordMap) -> int:
        return sum(table not in names for table in tables_of(records))

    def lost(records: RecordMap) -> int:
        return sum(table in tables_read for table, _ in missing(records, columns))

    sharing = maps_naming(names)
    fitting = [each for each in sharing if 2 * absent(each) < len(tables_of(each))]
    return min(fitting, key=lambda each: (lost(each), absent(each)), default=None)


def tables_of(records: RecordMap) -> tuple[str, ...]:
    """The tables that a map's records are in, in lower case and each once."""
    used = [t for sources in records.kinds.values() for s in sources for t in source_tables(s)]
    return tuple(dict.fromkeys(used))


def source_tables(source: Source) -> tuple[str, ...]:
    """The tables that a source cannot be without, in lower case and in its order.

    >>> source_tables(Source("lab JOIN item ON item.id = lab.item LEFT JOIN ward ON true", {}))
    ('lab', 'item')
    """
    return _source_tables(source.tables)


def optional_tables(source: Source) -> tuple[str, ...]:
    """The tables that only add columns to a source, in lower case.

    >>> optional_tables(Source("lab JOIN item ON item.id = lab.item LEFT JOIN ward ON true", {}))
    ('ward',)
    """
    needed = source_tables(source)
    read = (table.name.lower() for table in parse_tables(source.tables).find_all(exp.Table))
    return tuple(table for table in dict.fromkeys(read) if table not in needed)


def column_place(source: Source, column: str) -> tuple[str, str] | None:
    """The table and the column that a column of a source is read from; None if from several."""
    names = {t.alias_or_name: t.name for t in parse_tables(source.tables).find_all(exp.Table)}
    expression = parse_one(source.columns[column].sql, read=DIALECT)
    places = {(names[each.table], each.name) for each in expression.find_all(exp.Column)}
    return places.pop() if len(places) == 1 else None


def first_place(source: Source, column: str) -> tuple[str, str] | None:
    """As `column_place`; of a column with fallbacks, the place that it is read from first."""
    expression = parse_one(source.columns[column].sql, read=DIALECT)
    if not isinstance(expression, exp.Coalesce) or not isinstance(expression.this, exp.Column):
        return column_place(source, column)
    names = {t.alias_or_name: t.name for t in parse_tables(source.tables).find_all(exp.Table)}
    return names[expression.this.table], expression.this.name


def written_texts(source: Source, column: str) -> tuple[str, ...]:
    """The texts that a column of cases has; empty if it is read from the database's texts.

    >>> from wardround.ehr.records.model import RecordColumn
    >>> sex = RecordColumn("CASE person.sex WHEN 1 THEN 'F' WHEN 2 THEN 'M' END", "text")
    >>> written_texts(Source("person", {"sex": sex}), "sex")
    ('F', 'M')
    """
    expression = parse_one(source.columns[column].sql, read=DIALECT)
    if not isinstance(expression, exp.Case):
        return ()
    results = [*(case.args["true"] for case in expression.args["ifs"]), expression.args["default"]]
    texts = [each for each in results if each is not None]
    is_written = all(isinstance(each, exp.Literal) and each.is_string for each in texts)
    return tuple(each.name for each in texts) if is_written else ()


@cache
def _source_tables(tables: str) -> tuple[str, ...]:
    query = parse_tables(tables)
    joins = query.args.get("joins") or []
    needed = [query.args["from_"].this, *(join.this for join in joins if join.side != "LEFT")]
    return tuple(table.name.lower() for table in needed)
