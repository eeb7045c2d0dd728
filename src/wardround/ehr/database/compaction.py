"""Rewrites a database so that nothing deleted is left in its bytes."""

from pathlib import Path

from wardround.core.errors import InfraError, UserError
from wardround.core.private_files import put_in_place
from wardround.ehr.database.duckdb.target import create_database
from wardround.ehr.database.engine import Target
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.database.table_reader import count_rows


def compact(target: Target) -> None:
    """Rewrite a database without what was deleted, and close it.

    It needs free space for a second copy. What the disk, a server's log or a backup still holds
    is out of reach.

    Raises:
        UserError: If the engine has no way to do it.
        InfraError: If the copy is not whole; the database is then as it was.
    """
    if target.dialect not in _WAYS:
        raise UserError(
            f"Database {target.location} keeps deleted rows until its engine drops them; "
            f"{target.dialect} offers no way to ask for it."
        )
    _WAYS[target.dialect](target)
    target.close()


def _sqlite(target: Target) -> None:
    target.execute("VACUUM")
    target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _postgres(target: Target) -> None:
    # The planner's figures hold common values; ANALYZE takes them anew.
    target.execute("VACUUM (FULL, ANALYZE)")


def _duckdb(target: Target) -> None:
    """Copy into another file, which then takes the place; DuckDB does not shrink its own."""
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


_WAYS = {"sqlite": _sqlite, "postgres": _postgres, "duckdb": _duckdb}
