"""Permissions and limits of a DuckDB connection, enforced by DuckDB itself."""

from typing import TYPE_CHECKING

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Statement types of DuckDB's parser; the read-only file refuses writing within a SELECT.
READING = frozenset({"SELECT"})
WRITING = READING | {
    "ALTER",
    "CREATE",
    "DELETE",
    "DROP",
    "INSERT",
    "MERGE_INTO",
    "TRANSACTION",
    "UPDATE",
    "VACUUM",
}

_SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # No file but the database's own, and no network.
    "enable_external_access": "false",
    "max_expression_depth": "200",
    # Otherwise a query could read Python variables of this program by name.
    "python_enable_replacements": "false",
    # Sorting must not fill the disk.
    "temp_directory": "",
    "lock_configuration": "true",
}


def connect(path: str, limits: Limits, *, read_only: bool) -> "DuckDBPyConnection":
    """Open a connection with limits and locked settings.

    Raises:
        UserError: If DuckDB cannot open the file.
    """
    import duckdb

    # DuckDB does not count all its memory: the rest must fit into the limit of the process too.
    counted = limits.heap_bytes * 3 // 4
    settings = {"memory_limit": f"{counted}B", "threads": str(limits.threads), **_SETTINGS}
    try:
        return duckdb.connect(path, read_only=read_only, config=dict(settings))
    except duckdb.Error as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise UserError(f"Database {path} cannot be read ({first}); get a new copy.") from error
