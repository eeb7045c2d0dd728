"""Writes a schema as SQL statements for SQLite."""

import re

from wardround.ehr.schema.model import Schema, Table

# Names of the shipped schemas that SQLite reserves would need quotes; plain ones read better bare.
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*\Z")


def create_statements(schema: Schema) -> list[str]:
    """One CREATE TABLE statement per table, as in EHR-ChatQA D.1.1.

    Foreign keys are declared even where the target is not unique (an ICD code without its
    version), which SQLite accepts and does not enforce.

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
    return [_create(table) for table in schema.tables]


def quoted(name: str) -> str:
    """A table or column name as SQL writes it, in quotes where it needs them.

    >>> quoted("age"), quoted("two words")
    ('age', '"two words"')
    """
    return name if _PLAIN.match(name) else '"' + name.replace('"', '""') + '"'


def _create(table: Table) -> str:
    lines = [
        f"{quoted(column.name)} {column.type}{'' if column.null else ' NOT NULL'}"
        for column in table.columns
    ]
    lines.append(f"PRIMARY KEY ({quoted(table.key)})")
    lines += [
        f"FOREIGN KEY ({quoted(key.column)}) REFERENCES {quoted(key.table)} ({quoted(key.target)})"
        for key in table.foreign_keys
    ]
    return f"CREATE TABLE {quoted(table.name)} (\n    " + ",\n    ".join(lines) + "\n)"
