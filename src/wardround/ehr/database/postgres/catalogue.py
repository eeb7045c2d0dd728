"""Tables and columns from the catalogue of a PostgreSQL database."""

from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.postgres.content import Ask

_TABLES_SQL = """
SELECT c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY c.oid
"""

_COLUMNS_SQL = """
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
    coalesce(pg_catalog.array_position(k.conkey, a.attnum), 0),
    coalesce((SELECT pg_catalog.format('%%s(%%s)', t.relname, r.attname)
        FROM pg_catalog.pg_constraint f
        JOIN pg_catalog.pg_class t ON t.oid = f.confrelid
        JOIN pg_catalog.pg_attribute r ON r.attrelid = t.oid AND r.attnum = f.confkey[1]
        WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.conkey = ARRAY[a.attnum]
        ORDER BY f.oid LIMIT 1),
        substring(pg_catalog.col_description(c.oid, a.attnum) FROM '^references (.+)$'))
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
WHERE c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm')
    AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY a.attnum
"""

_ZONELESS = " WITHOUT TIME ZONE"


def tables(ask: Ask) -> list[str]:
    """The tables and views on the search path, in order of creation."""
    return [str(row[0]) for row in ask(_TABLES_SQL)]


def columns(ask: Ask, table: str) -> list[ColumnInfo]:
    """The columns of a table, in order."""
    return [_column(row) for row in ask(_COLUMNS_SQL % quote_text(table))]


def _column(row: tuple[Cell, ...]) -> ColumnInfo:
    name, kind, nullable, key, references = row
    declared = str(kind).upper().removesuffix(_ZONELESS)
    points_at = None if references is None else str(references)
    return ColumnInfo(str(name), declared, bool(nullable), int(str(key)), points_at)
