"""Databases behind one interface: sandboxed queries with limits, and their schemas."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.ehr.database.database import Database, Workspace
    from wardround.ehr.database.definition import create_table_text
    from wardround.ehr.database.engine import (
        ArrowStream,
        Engine,
        TableSource,
        Target,
        engine_of,
        write_database,
    )
    from wardround.ehr.database.interface import (
        Cell,
        ColumnInfo,
        Dialect,
        Limits,
        QueryError,
        QueryErrorKind,
        ResultTable,
        ScanCost,
        was_cut_off,
    )
    from wardround.ehr.database.location import (
        empty_tables,
        existing_database,
        open_database,
        open_source,
    )
    from wardround.ehr.database.names import find_column, find_table, quote_name, quote_text
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "database": ("Database", "Workspace"),
            "definition": ("create_table_text",),
            "engine": (
                "ArrowStream",
                "Engine",
                "TableSource",
                "Target",
                "engine_of",
                "write_database",
            ),
            "interface": (
                "Cell",
                "ColumnInfo",
                "Dialect",
                "Limits",
                "QueryError",
                "QueryErrorKind",
                "ResultTable",
                "ScanCost",
                "was_cut_off",
            ),
            "location": ("empty_tables", "existing_database", "open_database", "open_source"),
            "names": ("find_column", "find_table", "quote_name", "quote_text"),
        },
    )

__all__ = [
    "ArrowStream",
    "Cell",
    "ColumnInfo",
    "Database",
    "Dialect",
    "Engine",
    "Limits",
    "QueryError",
    "QueryErrorKind",
    "ResultTable",
    "ScanCost",
    "TableSource",
    "Target",
    "Workspace",
    "create_table_text",
    "empty_tables",
    "engine_of",
    "existing_database",
    "find_column",
    "find_table",
    "open_database",
    "open_source",
    "quote_name",
    "quote_text",
    "was_cut_off",
    "write_database",
]
