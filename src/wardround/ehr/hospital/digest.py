"""A fingerprint of a database's rows, whatever library version wrote the file."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from wardround.ehr.schema import quoted


def content_digest(path: Path) -> str:
    """SHA-256 over every table by name, and in it every row by its first column.

    Args:
        path: A SQLite file; it is only read.

    Returns:
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        for (table,) in database.execute(tables).fetchall():
            digest.update(f"{table}\n".encode())
            for row in database.execute(f"SELECT * FROM {quoted(table)} ORDER BY 1"):  # noqa: S608
                digest.update(repr(row).encode())
    return digest.hexdigest()
