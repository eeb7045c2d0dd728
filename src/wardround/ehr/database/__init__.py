"""Databases behind one interface: sandboxed queries with limits, and what the schema looks like."""

from wardround.ehr.database.definition import create_table_text
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Database,
    Limits,
    QueryError,
    QueryErrorKind,
    ResultTable,
)
from wardround.ehr.database.names import find_column, find_table, quote_name, quote_text
from wardround.ehr.database.opening import empty_tables, open_database

__all__ = [
    "Cell",
    "ColumnInfo",
    "Database",
    "Limits",
    "QueryError",
    "QueryErrorKind",
    "ResultTable",
    "create_table_text",
    "empty_tables",
    "find_column",
    "find_table",
    "open_database",
    "quote_name",
    "quote_text",
]
