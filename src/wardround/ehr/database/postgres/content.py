"""Fingerprints of a PostgreSQL database: its tables' rows, its schema, its sequences.

The order of rows, owners, privileges, statistics and numbers of objects do not count.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files

from wardround.ehr.database.interface import Cell

Ask = Callable[[str], list[tuple[Cell, ...]]]

_HOLDERS_SQL = """
SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname),
    c.relkind = 'S'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1
"""

_WRITTEN_SQL = """
SELECT c.oid, pg_catalog.pg_relation_filenode(c.oid),
    pg_catalog.pg_stat_get_tuples_inserted(c.oid), pg_catalog.pg_stat_get_tuples_updated(c.oid),
    pg_catalog.pg_stat_get_tuples_deleted(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1
"""


def fingerprint(ask: Ask) -> str:
    """A hash of everything that the database holds, 32 hexadecimal digits.

    Args:
        ask: Runs a query and gives all its rows.
    """
    whole = hashlib.blake2b(digest_size=16)
    for line in _lines(ask):
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()


def stamp(ask: Ask) -> str:
    """A text that changes when the content does, found without reading rows.

    The server counts the rows that a session changed up to a second later, or when it ends.
    """
    return repr((sorted(map(repr, ask(_schema_sql()))), sequences(ask), ask(_WRITTEN_SQL)))


def sequences(ask: Ask) -> dict[str, tuple[Cell, ...]]:
    """The state of each sequence: its last value, and whether that was given out."""
    names = [str(name) for name, is_sequence in ask(_HOLDERS_SQL) if is_sequence]
    return {name: ask(sequence_sql(name))[0] for name in names}


def sequence_sql(name: str) -> str:
    """The query for the state of one sequence."""
    return f"SELECT last_value, is_called FROM {name}"  # noqa: S608


def _lines(ask: Ask) -> Iterator[str]:
    yield from sorted(map(repr, ask(_schema_sql())))
    for name, is_sequence in ask(_HOLDERS_SQL):
        sql = sequence_sql(str(name)) if is_sequence else _rows_sql(str(name))
        yield f"{name!s} {ask(sql)}"


@cache
def _schema_sql() -> str:
    folder = files("wardround.ehr.database.postgres")
    return folder.joinpath("schema.sql").read_text(encoding="utf-8")


def _rows_sql(name: str) -> str:
    # Alike whatever the order of the rows, and read once.
    return (
        "SELECT pg_catalog.count(*),"  # noqa: S608
        " pg_catalog.sum(pg_catalog.hashtextextended((r.*)::pg_catalog.text, 0))"
        f" FROM ONLY {name} AS r"
    )
