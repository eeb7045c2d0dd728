"""Runs a search's SQL within its time, and reads resources by key."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import orjson

from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.conditions import Sql, joined
from wardround.ehr.fhir.search.membership import TABLES, VISIBLE, Layer, is_indexed, keys, meets
from wardround.ehr.fhir.search.query import (
    Criterion,
    Search,
    SortKey,
)
from wardround.ehr.fhir.store.overlay import Overlay, Version

# The value to sort by in the row of an index table.
SORTED_BY = {
    "token": "coalesce(nullif(code, ''), text)", "string": "folded", "date": "coalesce(low, high)",
    "quantity": "coalesce(low, high)", "reference": "id",
}  # fmt: skip
# The number of rows that a criterion of a SELECT has, at most the number given.
Counter = Callable[[Sql, int], int]
MOST_COUNTED = 500

MOST_SECONDS = 5.0
# Steps of SQLite's virtual machine between two looks at the time.
STEPS = 20_000
READ_AT_ONCE = 100
READ = " UNION ALL ".join(
    f"SELECT key, type, id, version, updated, body FROM {schema}.resource "
    "WHERE key IN (SELECT value FROM json_each(?))"
    for schema in ("base", "main")
)


def found_keys(overlay: Overlay, search: Search) -> list[int]:
    """The keys of all resources that match, in their order."""

    def count(sql: Sql, most: int) -> int:
        text = f"SELECT count(*) FROM (SELECT 1 FROM ({sql.text}) LIMIT {most})"
        counted: int = overlay.connection.execute(text, sql.values).fetchone()[0]
        return counted

    with limited(overlay.connection):
        sql = matches(search, schemas(overlay), count)
        return [key for (key,) in overlay.connection.execute(sql.text, sql.values)]


def selected(overlay: Overlay, sql: Sql) -> list[tuple[int, ...]]:
    """The rows of a SELECT."""
    with limited(overlay.connection):
        return overlay.connection.execute(sql.text, sql.values).fetchall()


def schemas(overlay: Overlay) -> tuple[str, ...]:
    """The schemas that have resources: the base, and the writes if there are any."""
    return ("base", "main") if overlay.writes() else ("base",)


@contextmanager
def limited(connection: sqlite3.Connection) -> Iterator[None]:
    """Stops statements that take too long."""
    deadline = time.monotonic() + MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > deadline, STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if "parser stack overflow" in str(error):
            raise FhirError(
                400, "too-costly", "The search is nested too deeply; follow fewer references."
            ) from None
        if "interrupted" not in str(error):
            raise
        raise FhirError(
            503, "too-costly", "The search took too long; narrow it by patient, code or date."
        ) from None
    finally:
        connection.set_progress_handler(None, 0)


def read_versions(overlay: Overlay, keys: Iterable[int]) -> Iterator[tuple[Version, int]]:
    """The resources with these keys, in this order, each with its size in bytes."""
    wanted = list(keys)
    for start in range(0, len(wanted), READ_AT_ONCE):
        block = wanted[start : start + READ_AT_ONCE]
        rows = {row[0]: row for row in overlay.connection.execute(READ, (str(block),) * 2)}
        for key in block:
            _, kind, id, number, updated, body = rows[key]
            yield Version(key, kind, id, number, updated, False, orjson.loads(body)), len(body)


def matches(search: Search, schemas: tuple[str, ...], count: Counter) -> Sql:
    """The SELECT of the keys of all matches, sorted; ties and the unsorted by key.

    The criterion with the fewest rows is looked up first, the others are tested on its resources.

    Args:
        search: the search.
        schemas: the schemas with resources.
        count: the number of rows of a SELECT, as far as it counts.
    """
    layers = [Layer(schema, schemas) for schema in schemas]
    first = leading(search.criteria, layers, count)
    selects = [select(search, layer, first) for layer in layers]
    columns = [f"s{number}" for number in range(len(search.form.sort))]
    order = [
        f"{column}{' DESC' if key.descending else ''} NULLS LAST, "
        for column, key in zip(columns, search.form.sort, strict=True)
    ]
    rows = " UNION ALL ".join(each.text for each in selects)
    text = f"SELECT key FROM ({rows}) ORDER BY {''.join(order)}key"
    return Sql(text, tuple(value for each in selects for value in each.values))


def select(search: Search, layer: Layer, first: Criterion | None) -> Sql:
    """The SELECT of a schema's matches with the values to sort by."""
    columns = [f", {sort_value(key, layer)} AS s{n}" for n, key in enumerate(search.form.sort)]
    selected_keys = (keys(first, layer) if first else None) or all_keys(search.type, layer)
    tests = [meets(each, "k.resource", layer) for each in search.criteria if each is not first]
    rest = joined(" AND ", tests) if tests else Sql("1")
    # The index is asked before the resource itself is looked at. The plus sign keeps SQLite from
    # looking up the type instead of the keys.
    text = (
        f"SELECT c.key{''.join(columns)} FROM {VISIBLE[layer.schema]} AS c WHERE +c.type = ? "
        f"AND c.key IN (SELECT k.resource FROM ({selected_keys.text}) AS k WHERE {rest.text})"
    )
    return Sql(text, (search.type, *selected_keys.values, *rest.values))


def all_keys(kind: str, layer: Layer) -> Sql:
    """The SELECT of the keys of a type."""
    return Sql(f"SELECT key AS resource FROM {layer.schema}.resource WHERE type = ?", (kind,))


def sort_value(key: SortKey, layer: Layer) -> str:
    """The SQL of a resource's value to sort by: the lowest, or the highest if descending."""
    searched = key.parameter
    if searched.name in ("_id", "_lastUpdated"):
        return {"_id": "c.id", "_lastUpdated": "nullif(c.updated, 0)"}[searched.name]
    table = TABLES[searched.kind]
    extreme = "max" if key.descending else "min"
    return (
        f"(SELECT {extreme}({SORTED_BY[table]}) FROM {layer.schema}.{table} "
        f"WHERE resource = c.key AND parameter = {searched.number})"
    )


def leading(
    criteria: tuple[Criterion, ...], layers: list[Layer], count: Counter
) -> Criterion | None:
    """The criterion to look up first: the one with the fewest rows of those with an index."""
    indexed = [each for each in criteria if is_indexed(each)]
    can_lead = indexed or [each for each in criteria if keys(each, layers[0])]
    if len(indexed) < 2:
        return next(iter(can_lead), None)

    def rows(criterion: Criterion) -> int:
        selects = [keys(criterion, layer) for layer in layers]
        return sum(count(each, MOST_COUNTED) for each in selects if each)

    return min(indexed, key=rows)
