"""The SELECT of a search: the keys of all matches in their order."""

from collections.abc import Callable

from wardround.ehr.fhir.search.conditions import Sql
from wardround.ehr.fhir.search.membership import TABLES, VISIBLE, Layer, keys, meets
from wardround.ehr.fhir.search.query import (
    AnyOf,
    Chain,
    Criterion,
    Match,
    ReverseChain,
    Search,
    SortKey,
)

# The value to sort by in the row of an index table.
SORTED_BY = {
    "token": "coalesce(nullif(code, ''), text)", "string": "folded", "date": "coalesce(low, high)",
    "quantity": "coalesce(low, high)", "reference": "id",
}  # fmt: skip
# The number of rows that a criterion of a SELECT has, at most the number given.
Counter = Callable[[Sql, int], int]
MOST_COUNTED = 1_000


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
        f"{column} IS NULL, {column}{' DESC' if key.descending else ''}, "
        for column, key in zip(columns, search.form.sort, strict=True)
    ]
    rows = " UNION ALL ".join(each.text for each in selects)
    text = f"SELECT key FROM ({rows}) ORDER BY {''.join(order)}key"
    return Sql(text, tuple(value for each in selects for value in each.values))


def select(search: Search, layer: Layer, first: Criterion | None) -> Sql:
    """The SELECT of a schema's matches with the values to sort by."""
    columns = [f", {sort_value(key, layer)} AS s{n}" for n, key in enumerate(search.form.sort)]
    parts, values = ["c.type = ?"], list[object]([search.type])
    found = keys(first, layer) if first else None
    if found:
        # The plus sign keeps SQLite from looking up the type instead of the keys.
        parts = ["+c.type = ?", f"c.key IN ({found.text})"]
        values.extend(found.values)
    tests = [meets(each, "c.key", layer) for each in search.criteria if each is not first]
    parts += [each.text for each in tests]
    text = f"SELECT c.key{''.join(columns)} FROM {VISIBLE[layer.schema]} AS c WHERE "
    return Sql(text + " AND ".join(parts), (*values, *(v for each in tests for v in each.values)))


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
    can_lead = [each for each in criteria if keys(each, layers[0])]
    indexed = [each for each in can_lead if is_indexed(each)]
    if len(indexed) < 2:
        return next(iter(indexed or can_lead), None)
    rows = dict.fromkeys(range(len(indexed)), 0)
    for layer in layers:
        for number, each in enumerate(indexed):
            if found := keys(each, layer):
                rows[number] += count(found, MOST_COUNTED)
    return indexed[min(rows, key=lambda number: rows[number])]


def is_indexed(criterion: Criterion) -> bool:
    """True if an index leads to the criterion's rows, so that they are counted at once."""
    match criterion:
        case Match(parameter, values, comparator):
            exact = comparator in ("", "exact", "below")
            named = all(getattr(value, "code", "") is not None for value in values)
            return (
                exact and named and parameter.kind in ("token", "string", "reference", "composite")
            )
        case AnyOf(criteria):
            return all(map(is_indexed, criteria))
        case Chain(_, targets):
            return all(is_indexed(inner) for _, inner in targets)
        case ReverseChain(_, _, inner):
            return is_indexed(inner)
        case _:
            return False
