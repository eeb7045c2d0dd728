"""The SELECT of a search: the keys of all matches in their order."""

from collections.abc import Callable

from wardround.ehr.fhir.search.conditions import Sql, joined
from wardround.ehr.fhir.search.membership import TABLES, VISIBLE, Layer, is_indexed, keys, meets
from wardround.ehr.fhir.search.query import (
    Criterion,
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
MOST_COUNTED = 500


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
