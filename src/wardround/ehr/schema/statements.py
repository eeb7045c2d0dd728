"""SQL statements that create a schema on any engine."""

import re

from wardround.ehr.schema.model import Column, ForeignKey, Schema, Table

# Names that need no quotes.
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


# SQLite stores times as text, which sorts correctly. REAL has 64 bits everywhere; its SQLite name
# follows Lee et al. 2025, D.1.1.
_TYPES = {
    "sqlite": {"REAL": "DOUBLE PRECISION", "DATE": "TEXT", "TIMESTAMP": "TEXT"},
    "duckdb": {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR"},
    "postgres": {"INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "TIMESTAMP": "TIMESTAMP(0)"},
}


def column_type(column: Column, dialect: str) -> str:
    """The type of a column in a dialect.

    >>> column_type(Column("charttime", "TIMESTAMP", "when"), "sqlite")
    'TEXT'
    """
    return _TYPES[dialect].get(column.type, column.type)


def create_statements(schema: Schema) -> list[str]:
    """One CREATE TABLE statement for each table on SQLite (Lee et al. 2025, D.1.1).

    Foreign keys are declared even if the target is not unique (an ICD code without its version),
    which SQLite accepts and does not enforce.

    >>> from wardround.ehr.schema import load_schema
    >>> print(create_statements(load_schema("mimic_iv_star"))[0])
    CREATE TABLE demographics (
        recordid INTEGER NOT NULL,
        patientid INTEGER NOT NULL,
        gender TEXT NOT NULL,
        dateofbirth TEXT NOT NULL,
        dateofdeath TEXT,
        PRIMARY KEY (recordid)
    )
    """
    return [create_statement(table, "sqlite") for table in schema.tables]


def create_statement(table: Table, dialect: str) -> str:
    """The CREATE TABLE statement of one table.

    Foreign keys are declared on SQLite only: other engines would enforce them, and some published
    references dangle. See `reference_statements`.
    """
    lines = [_column(column, dialect) for column in table.columns]
    if table.key:
        lines.append(f"PRIMARY KEY ({', '.join(quoted(column) for column in table.key)})")
    if dialect == "sqlite":
        lines += [_foreign_key(key) for key in table.foreign_keys]
    return f"CREATE TABLE {quoted(table.name)} (\n    " + ",\n    ".join(lines) + "\n)"


def reference_statements(table: Table) -> list[str]:
    """One COMMENT statement for each referencing column, the same in every dialect.

    The comments document foreign keys on engines that would enforce them.

    >>> from wardround.ehr.schema import load_schema
    >>> reference_statements(load_schema("mimic_iv_star").table("hospitaladmissions"))[0]
    "COMMENT ON COLUMN hospitaladmissions.patientid IS 'references demographics(patientid)'"
    """
    # A column has one comment, so only its first key is documented.
    keys = {key.column: key for key in reversed(table.foreign_keys)}
    return [
        f"COMMENT ON COLUMN {quoted(table.name)}.{quoted(key.column)}"
        f" IS 'references {key.table}({key.target})'"
        for key in keys.values()
    ]


def index_statements(table: Table) -> list[str]:
    """One CREATE INDEX statement for each index of a table, the same in every dialect."""
    return [
        f"CREATE INDEX {quoted('_'.join((table.name, *index)))} ON {quoted(table.name)}"
        f" ({', '.join(quoted(column) for column in index)})"
        for index in table.indexes
    ]


def quoted(name: str) -> str:
    """A table or column name in SQL, quoted if necessary.

    >>> quoted("age"), quoted("two words")
    ('age', '"two words"')
    """
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


def _column(column: Column, dialect: str) -> str:
    required = "" if column.null else " NOT NULL"
    return f"{quoted(column.name)} {column_type(column, dialect)}{required}"


def _foreign_key(key: ForeignKey) -> str:
    return (
        f"FOREIGN KEY ({quoted(key.column)}) REFERENCES {quoted(key.table)} ({quoted(key.target)})"
    )
