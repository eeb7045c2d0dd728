"""Helpers that prepare databases and query the results."""

import hashlib
from contextlib import closing
from pathlib import Path
from typing import Any

from wardround.ehr.database import write_database
from wardround.ehr.ingest.preparation import Effect, Plan, prepare


def prepare_quietly(source: str, target: Path, plan: Plan) -> list[Effect]:
    """Run a whole preparation."""
    return list(prepare(source, str(target), plan))


def ask(database: Path, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with closing(write_database(str(database))) as made:
        return made.query(sql)


def digest(database: Path) -> str:
    """A fingerprint of all rows, the same on every engine."""
    hasher = hashlib.sha256()
    with closing(write_database(str(database))) as made:
        for table in made.tables():
            rows = [tuple(map(str, row)) for row in made.query(f"SELECT * FROM {table}")]
            hasher.update(repr((table, sorted(rows))).encode())
    return hasher.hexdigest()
