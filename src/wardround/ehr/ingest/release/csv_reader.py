"""SQL by which DuckDB reads a release's file: fast where all is well, exact where it is not."""

from dataclasses import dataclass

from wardround.ehr.database import quote_text
from wardround.ehr.ingest.release.layout import Source
from wardround.ehr.schema import Column, column_type, quoted


@dataclass(frozen=True)
class Reading:
    """How a column of some type is read.

    Attributes:
        raw: The type that the file's text is read as.
        value: SQL of the value, of column {x}.
        sound: SQL that is true where the text says just that value: nothing rounded, nothing cut
            off; NULL where the text is no value of the type.
    """

    raw: str
    value: str = "{x}"
    sound: str = ""


# Integers go through DOUBLE, because DuckDB rounds "1.5" to the integer 2 and says nothing. That
# is exact below 2**53; larger ones are left to the other way of reading.
FAST = {
    "INTEGER": Reading("DOUBLE", "CAST({x} AS BIGINT)", "{x} = trunc({x}) AND abs({x}) < 9e15"),
    "REAL": Reading("DOUBLE", "{x}", "isfinite({x})"),
    "DATE": Reading("TIMESTAMP", "CAST({x} AS DATE)", "isfinite({x}) AND {x} = CAST({x} AS DATE)"),
    "TIMESTAMP": Reading("TIMESTAMP", "{x}", "isfinite({x})"),
    "TEXT": Reading("VARCHAR"),
}

# Everything is read as text and tried one by one.
EXACT = {
    "INTEGER": Reading(
        "VARCHAR", "TRY_CAST({x} AS BIGINT)", "TRY_CAST({x} AS BIGINT) = TRY_CAST({x} AS DOUBLE)"
    ),
    "REAL": Reading("VARCHAR", "TRY_CAST({x} AS DOUBLE)", "isfinite(TRY_CAST({x} AS DOUBLE))"),
    "DATE": Reading(
        "VARCHAR",
        "TRY_CAST({x} AS DATE)",
        "isfinite(TRY_CAST({x} AS DATE)) AND TRY_CAST({x} AS DATE) = TRY_CAST({x} AS TIMESTAMP)",
    ),
    "TIMESTAMP": Reading(
        "VARCHAR", "TRY_CAST({x} AS TIMESTAMP)", "isfinite(TRY_CAST({x} AS TIMESTAMP))"
    ),
    # PostgreSQL takes no NUL, and elsewhere it hides what follows it.
    "TEXT": Reading("VARCHAR", "{x}", "NOT contains({x}, chr(0))"),
}

Readings = dict[str, Reading]

# A field as CSV writes it.
_FIELD = (
    "CASE WHEN regexp_matches({x}, '[,\"\\n\\r]') THEN '\"' || replace({x}, '\"', '\"\"') || '\"'"
    " ELSE coalesce({x}, '') END"
)

_LINE_ENDS = {"\n": r"\n", "\r\n": r"\r\n"}


def rows_sql(source: Source, dialect: str, readings: Readings) -> str:
    """A query of a file's sound rows, in the table's columns and the engine's types.

    Read FAST, it fails at the first record that is not of the table's form; read EXACT, it leaves
    such records out, and `faulty_sql` has them.
    """
    values = ", ".join(_value(column, source, dialect, readings) for column in source.table.columns)
    return f"SELECT {values} FROM {_file(source, readings)} WHERE {_sound(source, readings)}"  # noqa: S608


def faulty_sql(source: Source) -> str:
    """A query of the records with a value that is not of its column's type.

    Its columns are the record's `number` among those of the right form, from 1, what its `fault`
    is, and its `text`. Records of another form go to DuckDB's table `reject_errors`.
    """
    wrong = "".join(
        f" WHEN NOT {_holds(column, EXACT)} THEN {quote_text(_wrong(column))}"
        for column in _checked(source, EXACT)
    )
    file = _file(source, EXACT)
    text = " || ',' || ".join(_FIELD.format(x=quoted(name)) for name in source.header)
    return (
        f"SELECT number, fault, {text} AS text"  # noqa: S608
        " FROM (SELECT row_number() OVER () AS number,"
        f" CASE WHEN false THEN ''{wrong} END AS fault, * FROM {file}) WHERE fault IS NOT NULL"
    )


def _wrong(column: Column) -> str:
    if column.type == "TEXT":
        return f"{column.name} has a NUL byte"
    article = "an" if column.type == "INTEGER" else "a"
    return f"{column.name} is not {article} {column.type}"


def _file(source: Source, readings: Readings) -> str:
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
        # `ignore_errors` alone loses the lines after a broken quote; with this they are read.
        settings.append("store_rejects = true, rejects_limit = 0")
    return f"read_csv({quote_text(str(source.path))}, {', '.join(settings)})"


def _value(column: Column, source: Source, dialect: str, readings: Readings) -> str:
    name = quoted(column.name)
    if column.name not in source.header:
        return f"NULL::{_stored(column, dialect)} AS {name}"
    value = readings[column.type].value.format(x=name)
    return f"CAST({value} AS {_stored(column, dialect)}) AS {name}"


def _stored(column: Column, dialect: str) -> str:
    """DuckDB's type of what is handed to an engine: where it keeps times as text, text."""
    return "VARCHAR" if column_type(column, dialect) == "TEXT" else column_type(column, "duckdb")


def _checked(source: Source, readings: Readings) -> list[Column]:
    columns = source.table.columns
    return [c for c in columns if c.name in source.header and readings[c.type].sound]


def _sound(source: Source, readings: Readings) -> str:
    return " AND ".join(_holds(c, readings) for c in _checked(source, readings)) or "true"


def _holds(column: Column, readings: Readings) -> str:
    """An empty field is sound; so is a text whose value passes."""
    name = quoted(column.name)
    return f"coalesce({readings[column.type].sound.format(x=name)}, {name} IS NULL)"
