"""DuckDB SQL that reads a release's file: a fast way for intact files, an exact way for others."""

from dataclasses import dataclass

from wardround.ehr.database import quote_text
from wardround.ehr.ingest.release.release_files import TableFile
from wardround.ehr.schema import Column, column_type, quoted


@dataclass(frozen=True)
class ColumnSql:
    """SQL templates that read a column type.

    Attributes:
        raw: The type in which the file's text is read.
        value: SQL of the value of column {x}.
        sound: SQL that is true if the text equals the value without rounding or truncation, NULL
            if it is not a value of the type.
    """

    raw: str
    value: str = "{x}"
    sound: str = ""


# Integers are read as DOUBLE, because DuckDB silently rounds "1.5" to the integer 2. This is exact
# below 2**53; larger values are left to EXACT.
FAST = {
    "INTEGER": ColumnSql("DOUBLE", "CAST({x} AS BIGINT)", "{x} = trunc({x}) AND abs({x}) < 9e15"),
    "REAL": ColumnSql("DOUBLE", "{x}", "isfinite({x})"),
    "DATE": ColumnSql(
        "TIMESTAMP", "CAST({x} AS DATE)", "isfinite({x}) AND {x} = CAST({x} AS DATE)"
    ),
    "TIMESTAMP": ColumnSql("TIMESTAMP", "{x}", "isfinite({x})"),
    "TEXT": ColumnSql("VARCHAR"),
}

# Reads everything as text and converts each value on its own.
EXACT = {
    "INTEGER": ColumnSql(
        "VARCHAR", "TRY_CAST({x} AS BIGINT)", "TRY_CAST({x} AS BIGINT) = TRY_CAST({x} AS DOUBLE)"
    ),
    "REAL": ColumnSql("VARCHAR", "TRY_CAST({x} AS DOUBLE)", "isfinite(TRY_CAST({x} AS DOUBLE))"),
    "DATE": ColumnSql(
        "VARCHAR",
        "TRY_CAST({x} AS DATE)",
        "isfinite(TRY_CAST({x} AS DATE)) AND TRY_CAST({x} AS DATE) = TRY_CAST({x} AS TIMESTAMP)",
    ),
    "TIMESTAMP": ColumnSql(
        "VARCHAR", "TRY_CAST({x} AS TIMESTAMP)", "isfinite(TRY_CAST({x} AS TIMESTAMP))"
    ),
    # PostgreSQL refuses NUL; elsewhere it hides the rest of the text.
    "TEXT": ColumnSql("VARCHAR", "{x}", "NOT contains({x}, chr(0))"),
}

ColumnSqls = dict[str, ColumnSql]

# A field in CSV syntax.
_FIELD = (
    "CASE WHEN regexp_matches({x}, '[,\"\\n\\r]') THEN '\"' || replace({x}, '\"', '\"\"') || '\"'"
    " ELSE coalesce({x}, '') END"
)

_LINE_ENDS = {"\n": r"\n", "\r\n": r"\r\n"}


def rows_sql(source: TableFile, dialect: str, readings: ColumnSqls) -> str:
    """A query of a file's valid rows, in the table's columns and the engine's types.

    FAST fails at the first malformed record; EXACT skips them, and `faulty_sql` returns them.
    """
    values = ", ".join(_value(column, source, dialect, readings) for column in source.table.columns)
    return f"SELECT {values} FROM {_file(source, readings)} WHERE {_all_valid(source, readings)}"  # noqa: S608


def faulty_sql(source: TableFile) -> str:
    """A query of the records with a value of the wrong type.

    Returns the record's `number` among the well-formed records, from 1, its `fault` and its `text`.
    Malformed records are in DuckDB's table `reject_errors`.
    """
    cases = "".join(
        f" WHEN NOT {_validity(column, EXACT)} THEN {quote_text(_fault_text(column))}"
        for column in _checked(source, EXACT)
    )
    file = _file(source, EXACT)
    text = " || ',' || ".join(_FIELD.format(x=quoted(name)) for name in source.header)
    return (
        f"SELECT number, fault, {text} AS text"  # noqa: S608
        " FROM (SELECT row_number() OVER () AS number,"
        f" CASE WHEN false THEN ''{cases} END AS fault, * FROM {file}) WHERE fault IS NOT NULL"
    )


def _fault_text(column: Column) -> str:
    if column.type == "TEXT":
        return f"{column.name} has a NUL byte"
    article = "an" if column.type == "INTEGER" else "a"
    return f"{column.name} is not {article} {column.type}"


def _file(source: TableFile, readings: ColumnSqls) -> str:
    types = {column.name: readings[column.type].raw for column in source.table.columns}
    columns = ", ".join(
        f"{quote_text(name)}: {quote_text(types.get(name, 'VARCHAR'))}" for name in source.header
    )
    settings = [
        f"columns = {{{columns}}}",
        "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"'",
        f"new_line = '{_LINE_ENDS[source.line_end]}'",
        f"compression = '{'gzip' if source.packed else 'none'}'",
    ]
    if readings is EXACT:
        # `ignore_errors` alone loses the lines after a broken quote.
        settings.append("store_rejects = true, rejects_limit = 0")
    return f"read_csv({quote_text(str(source.path))}, {', '.join(settings)})"


def _value(column: Column, source: TableFile, dialect: str, readings: ColumnSqls) -> str:
    name = quoted(column.name)
    if column.name not in source.header:
        return f"NULL::{_stored_type(column, dialect)} AS {name}"
    value = readings[column.type].value.format(x=name)
    return f"CAST({value} AS {_stored_type(column, dialect)}) AS {name}"


def _stored_type(column: Column, dialect: str) -> str:
    """DuckDB's type of a column for an engine; text if the engine stores times as text."""
    return "VARCHAR" if column_type(column, dialect) == "TEXT" else column_type(column, "duckdb")


def _checked(source: TableFile, readings: ColumnSqls) -> list[Column]:
    columns = source.table.columns
    return [c for c in columns if c.name in source.header and readings[c.type].sound]


def _all_valid(source: TableFile, readings: ColumnSqls) -> str:
    return " AND ".join(_validity(c, readings) for c in _checked(source, readings)) or "true"


def _validity(column: Column, readings: ColumnSqls) -> str:
    """SQL that is true for an empty field or a valid text."""
    name = quoted(column.name)
    return f"coalesce({readings[column.type].sound.format(x=name)}, {name} IS NULL)"
