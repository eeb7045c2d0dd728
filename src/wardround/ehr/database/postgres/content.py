"""Fingerprints of a PostgreSQL database: its rows, schema and sequences.

Row order, owners, privileges, statistics and OIDs are ignored.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files

from wardround.ehr.database.interface import Cell

Ask = Callable[[str], Sequence[tuple[Cell, ...]]]

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
    """A hash of schema, rows and sequences, 32 hexadecimal digits.

    Args:
        ask: Runs a query and returns all its rows.
    """
    digest = hashlib.blake2b(digest_size=16)
    for line in _lines(ask):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def stamp(ask: Ask) -> str:
    """A text that changes when the content does, computed without reading rows.

    The server's row counters lag up to a second behind a session, or until it ends.
    """
    return repr((sorted(map(repr, ask(_schema_sql()))), sequences(ask), ask(_WRITTEN_SQL)))


def sequences(ask: Ask) -> dict[str, tuple[Cell, ...]]:
    """The state of each sequence by name: its last value, and `is_called`."""
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
    # A sum of hashes does not depend on the order of rows and needs one scan.
    return (
        "SELECT pg_catalog.count(*),"  # noqa: S608
        " pg_catalog.sum(pg_catalog.hashtextextended((r.*)::pg_catalog.text, 0))"
        f" FROM ONLY {name} AS r"
    )
