"""Rewrites a database so that no deleted data is left in its files."""

from pathlib import Path

from wardround.core.errors import InfraError, UserError
from wardround.core.private_files import put_in_place
from wardround.ehr.database.duckdb.target import create_database
from wardround.ehr.database.engine import Target
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.database.table_reader import count_rows


def compact(target: Target) -> None:
    """Rewrite a database without its deleted rows, and close it.

    Needs free disk space for a second copy. Freed disk blocks, a server's log and backups are not
    erased.

    Raises:
        UserError: If the engine does not support it.
        InfraError: If the copy is incomplete; the database is then unchanged.
    """
    if target.dialect not in _COMPACTORS:
        raise UserError(
            f"Database {target.location} keeps deleted rows until its engine drops them; "
            f"{target.dialect} offers no way to ask for it."
        )
    _COMPACTORS[target.dialect](target)
    target.close()


def _sqlite(target: Target) -> None:
    target.execute("VACUUM")
    target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _postgres(target: Target) -> None:
    # The planner's statistics hold common values of deleted rows until ANALYZE replaces them.
    target.execute("VACUUM (FULL, ANALYZE)")


def _duckdb(target: Target) -> None:
    """Copy into a new file and replace the old one; DuckDB's VACUUM does not shrink files."""
    path = Path(target.location)
    copy = path.with_name(f".{path.name}.compact")
    copy.unlink(missing_ok=True)
    create_database(copy)
    name = quote_name(str(target.query("SELECT current_database()")[0][0]))
    before = {table: count_rows(target, table) for table in target.tables()}
    try:
        target.execute(f"ATTACH {quote_text(str(copy))} AS wardround_copy")
        target.execute(f"COPY FROM DATABASE {name} TO wardround_copy")
        after = {
            table: target.query(f"SELECT count(*) FROM wardround_copy.{quote_name(table)}")[0][0]  # noqa: S608
            for table in before
        }
        target.execute("DETACH wardround_copy")
        if before != after:
            raise InfraError(f"Database {path} could not be rewritten; it is unchanged.")
        target.close()
        put_in_place(copy, path)
    finally:
        copy.unlink(missing_ok=True)


_COMPACTORS = {"sqlite": _sqlite, "postgres": _postgres, "duckdb": _duckdb}
