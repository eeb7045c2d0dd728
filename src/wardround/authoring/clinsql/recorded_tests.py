"""The tests of a record by name, with their units, where they have no item ids that are known."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import select

from wardround.authoring.clinsql.predicates import (
    has_items,
)
from wardround.authoring.clinsql.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    sql,
)
from wardround.ehr.database import Database
from wardround.ehr.records import without_unread

_KINDS = ("lab", "vital")


@dataclass(frozen=True, slots=True)
class _Named:
    """The records of a name: how many tests have it, how many units they have, and one of these."""

    tests: int
    units: int
    unit: str


def with_tests(tables: RecordTables, database: Database) -> RecordTables:
    """The tables of a database with the tests in them."""
    return replace(tables, tests=dict(_tests(database, tables)))


def _tests(database: Database, tables: RecordTables) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The unit of each name that only one test of any kind has, in one unit, by kind."""
    named = {kind: _named(database, kind, tables) for kind in _KINDS}
    kinds = Counter(name.lower() for units in named.values() for name in units)
    for kind, units in named.items():
        yield (
            kind,
            {
                name: each.unit
                for name, each in units.items()
                if each.tests == each.units == kinds[name.lower()] == 1
            },
        )


def _named(database: Database, kind: str, tables: RecordTables) -> Mapping[str, _Named]:
    needed = all(tables.records.has(kind, column) for column in ("name", "value", "unit"))
    if not needed or has_items(kind, tables):
        return {}
    rows = tables.rows(kind)
    test = next(column for column in ("concept", "code", "name") if column in rows.columns)
    unit = sql(rows, "unit")
    items = [
        f"{sql(rows, 'name')} AS name",
        f"COUNT(DISTINCT {sql(rows, test)}) AS tests",
        f"COUNT(DISTINCT {unit}) AS units",
        f"MIN({unit}) AS unit",
    ]
    query = from_rows(select(*items, dialect=DIALECT), rows)
    query = query.where(f"{sql(rows, 'value')} IS NOT NULL", dialect=DIALECT)
    query = without_unread(query.group_by("1").order_by("1"))
    result = database.execute(query.sql(DIALECT), rows=100_000, seconds=600)
    return {
        str(name): _Named(int(tests or 0), int(units or 0), str(unit))
        for name, tests, units, unit in result.rows
        if name is not None
    }
