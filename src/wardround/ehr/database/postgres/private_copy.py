"""A private copy of part of a PostgreSQL database: another database on the same server."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.core.errors import InfraError, UserError
from wardround.core.url_passwords import remember_passwords
from wardround.ehr.database.cells import cell
from wardround.ehr.database.interface import Cell, ColumnInfo
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.database.postgres.connection import Address, find_address, short_message
from wardround.ehr.database.postgres.owner import Owner
from wardround.ehr.database.postgres.sandbox import search_path

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow

_TABLES_SQL = """
SELECT c.relname, n.nspname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND pg_catalog.pg_table_is_visible(c.oid)
ORDER BY c.oid
"""

# The type of each column in a database that has no types of its own: the type that a domain is
# based on, and NULL for enumerations, types of extensions and arrays of them. True for rows in a
# column, which may hold identifiers.
_TYPES_SQL = """
WITH RECURSIVE base (name, type, modifier) AS (
    SELECT a.attname, a.atttypid, a.atttypmod FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = %s::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT b.name, t.typbasetype, t.typtypmod
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT b.name,
    CASE WHEN coalesce(e.typnamespace, t.typnamespace) = 'pg_catalog'::pg_catalog.regnamespace
        THEN pg_catalog.format_type(b.type, b.modifier) END,
    coalesce(e.typtype, t.typtype) = 'c'
FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type AND t.typtype <> 'd'
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
"""

# The columns of indexes on columns only: expressions and conditions may hold values.
_INDEXES_SQL = """
SELECT pg_catalog.array_agg(a.attname::text ORDER BY k.place)
FROM pg_catalog.pg_index i
CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
JOIN pg_catalog.pg_am m ON m.oid = c.relam AND m.amname = 'btree'
WHERE i.indrelid = %s::pg_catalog.regclass AND i.indexprs IS NULL AND i.indpred IS NULL
    AND NOT i.indisprimary AND k.place <= i.indnkeyatts
GROUP BY i.indexrelid ORDER BY i.indexrelid
"""

# Names of the columns differ between versions of PostgreSQL.
_LOCALE_SQL = "SELECT to_jsonb(d) FROM pg_catalog.pg_database d WHERE d.datname = %(name)s"


class ServerCopy:
    """A private copy that is a database on its source's server; see `PrivateCopy`.

    A copy that a killed process left behind, or whose owner's connection broke, is dropped by the
    next process that opens a database on the server.

    Raises:
        UserError: If the server cannot be reached, or the role in the URL cannot make a database.
    """

    def __init__(self, address: Address) -> None:
        from psycopg import Error

        self._original = address
        self._owner = Owner(address)
        try:
            name = self._owner.new_name()
            self._owner.run(f"CREATE DATABASE {name} TEMPLATE template0 {self._locale()}")
            self._owner.run(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
        except Error as error:
            self._owner.close()
            raise UserError(
                f"Part of database {address.url} cannot be copied ({short_message(error)}); give a "
                "URL of a role that has CREATEDB and CREATEROLE."
            ) from None
        except BaseException:
            self._owner.close()
            raise
        self._address = address.of(dbname=name)

    @property
    def location(self) -> str:
        """The copy's URL, without a password."""
        if self._address.server is not None:
            return f"postgresql:{self._address.name}"
        return remember_passwords(self._address.driver_uri)

    @contextmanager
    def fill(self) -> Iterator["_Filling"]:
        """Fill the copy in one transaction, from a snapshot of the source."""
        from psycopg import Error

        path = search_path(self._original)
        try:
            with (
                closing(self._original.connect()) as original,
                closing(self._address.connect()) as copy,
            ):
                original.execute(f"SET search_path TO {path}".encode())
                original.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
                copy.execute("BEGIN")
                yield _Filling(original, copy, _schemas(original))
                copy.execute("COMMIT")
                copy.execute("ANALYZE")
        except Error as error:
            # The server's message may quote a value.
            raise UserError(
                f"The rows of {self._original.url} that a person may see cannot be copied "
                f"({type(error).__name__}); check it with wardround doctor."
            ) from None

    def is_there(self) -> bool:
        """True unless the copy was dropped since the owner's connection broke.

        A restarted server still has it, and the owner's new connection holds it again.
        """
        # A check notices the break, and the statement after it connects again.
        with suppress(InfraError):
            self._owner.check()
        sql = "SELECT 1 FROM pg_catalog.pg_database WHERE datname = %(name)s"
        return bool(self._owner.run(sql, name=self._address.name))

    def close(self) -> None:
        """Drop the copy and release the server."""
        self._owner.close()
        self._original.leave()

    def _locale(self) -> str:
        """Encoding, order of texts and letter case of the source, as options of a new database."""
        described: Mapping[str, Any] = self._owner.run(_LOCALE_SQL, name=self._original.name)[0][0]
        options = {"LC_COLLATE": described["datcollate"], "LC_CTYPE": described["datctype"]}
        provider = {"i": "icu", "b": "builtin"}.get(described.get("datlocprovider", "c"))
        if provider:
            options["LOCALE_PROVIDER"] = provider
            locale = described.get("datlocale", described.get("daticulocale"))
            options[f"{provider.upper()}_LOCALE"] = locale
        encoding = f"ENCODING {int(described['encoding'])}"
        return " ".join([encoding, *(f"{name} {quote_text(v)}" for name, v in options.items())])


@dataclass(frozen=True, slots=True)
class _Filling:
    """A copy being filled, see `RowCopy`; temporary tables are in the source's session.

    Attributes:
        original: The connection to the source.
        copy: The connection to the copy.
        schemas: The schema of each table of the source, in order of creation.
    """

    original: "Connection[TupleRow]"
    copy: "Connection[TupleRow]"
    schemas: Mapping[str, str]

    @property
    def dialect(self) -> str:
        """The SQL dialect."""
        return "postgres"

    def source(self, table: str) -> str:
        """The source's table in SQL; the copy's has the same name."""
        return f"{quote_name(self.schemas[table])}.{quote_name(table)}"

    def source_tables(self) -> list[str]:
        """The tables of the source."""
        return list(self.schemas)

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query on the source."""
        rows = self.original.execute(sql.encode()).fetchall()
        return [tuple(map(cell, row)) for row in rows]

    def execute(self, sql: str) -> None:
        """Run a statement beside the source."""
        self.original.execute(sql.encode())

    def copy_rows(
        self, table: str, columns: Sequence[ColumnInfo], hidden: Collection[str], where: str
    ) -> None:
        """Make a table of the source's rows that meet a condition."""
        name = self.source(table)
        described = self.original.execute(_TYPES_SQL, [name]).fetchall()
        types = {str(column): str(type or "text") for column, type, _ in described}
        foreign = {str(column) for column, type, _ in described if type is None}
        unseen = {*hidden, *(str(column) for column, _, has_rows in described if has_rows)}
        cells = ", ".join(
            "NULL"
            if c.name in unseen
            else f"{quote_name(c.name)}::text"
            if c.name in foreign
            else quote_name(c.name)
            for c in columns
        )
        self.copy.execute(f"CREATE SCHEMA IF NOT EXISTS {quote_name(self.schemas[table])}".encode())
        self._create(name, columns, types, unseen)
        names = ", ".join(quote_name(c.name) for c in columns)
        rows = f"COPY (SELECT {cells} FROM {name} WHERE {where}) TO STDOUT (FORMAT BINARY)"  # noqa: S608
        statement = f"COPY {name} ({names}) FROM STDIN (FORMAT BINARY)"
        with (
            self.original.cursor() as reading,
            self.copy.cursor() as writing,
            reading.copy(rows.encode()) as read,
            writing.copy(statement.encode()) as written,
        ):
            for block in read:
                written.write(block)
        for (indexed,) in self.original.execute(_INDEXES_SQL, [name]).fetchall():
            listed = ", ".join(map(quote_name, indexed))
            self.copy.execute(f"CREATE INDEX ON {name} ({listed})".encode())

    def _create(
        self,
        name: str,
        columns: Sequence[ColumnInfo],
        types: Mapping[str, str],
        unseen: Collection[str],
    ) -> None:
        lines = [
            f"{quote_name(c.name)} {types[c.name]}"
            + ("" if c.nullable or c.name in unseen else " NOT NULL")
            for c in columns
        ]
        key = [c.name for c in sorted(columns, key=lambda c: c.primary_key) if c.primary_key]
        if key and not set(key) & {*unseen}:
            lines.append(f"PRIMARY KEY ({', '.join(map(quote_name, key))})")
        self.copy.execute(f"CREATE TABLE {name} ({', '.join(lines)})".encode())
        for column in columns:
            if column.references:  # a row may refer to one left out
                comment = quote_text(f"references {column.references}")
                column_name = f"{name}.{quote_name(column.name)}"
                self.copy.execute(f"COMMENT ON COLUMN {column_name} IS {comment}".encode())


def copy_location(location: str, folder: Path) -> ServerCopy:
    """An empty copy beside a PostgreSQL database; nothing is written to the folder."""
    address = find_address(location)
    try:
        return ServerCopy(address)
    except BaseException:
        address.leave()
        raise


def _schemas(connection: "Connection[TupleRow]") -> dict[str, str]:
    """The schema of each table that agents see, in order of creation."""
    return {str(table): str(schema) for table, schema in connection.execute(_TABLES_SQL)}
