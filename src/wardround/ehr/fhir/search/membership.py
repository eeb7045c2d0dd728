"""SQL of criteria: the keys of the resources that meet one, and the test of one resource.

A record's base and the writes over it are two schemas with the same tables. Rows of the index lie
in the schema of their resource, so every piece of SQL is for one schema; references are followed
into all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wardround.ehr.fhir.definitions import SearchParameter
from wardround.ehr.fhir.search.conditions import Sql, condition, joined, value_condition
from wardround.ehr.fhir.search.query import (
    AnyOf,
    Chain,
    Criterion,
    Match,
    Not,
    Present,
    ReverseChain,
)

TABLES = {
    "token": "token", "string": "string", "uri": "string", "date": "date", "number": "quantity",
    "quantity": "quantity", "reference": "reference", "composite": "composite",
}  # fmt: skip
MOST_SELECTS = 8
# A schema's view of the resources that a reader sees.
VISIBLE = {"base": "base_resources", "main": "written_resources"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A schema whose resources are searched.

    Attributes:
        schema: `base` or `main`.
        schemas: all schemas that references may lead to.
    """

    schema: str
    schemas: tuple[str, ...]

    def others(self) -> list["Layer"]:
        """The layers that references may lead to, this one among them."""
        return [replace(self, schema=schema) for schema in self.schemas]


def keys(criterion: Criterion, layer: Layer) -> Sql | None:
    """A SELECT of the keys that meet a criterion; None if only a test of each resource tells.

    Args:
        criterion: the criterion.
        layer: the schema with the keys.
    """
    match criterion:
        case Match():
            table, key, filter = index_rows(criterion.parameter, layer)
            selects = [
                Sql(f"SELECT {key} AS resource FROM {table} WHERE {filter.text} AND ({each.text})",
                    filter.values + each.values)
                for each in conditions(criterion)
            ]  # fmt: skip
            return union(selects)
        case Present():
            table, key, filter = index_rows(criterion.parameter, layer)
            return Sql(
                f"SELECT {key} AS resource FROM {table} WHERE {filter.text}",
                filter.values,
            )
        case Not():
            return None
        case AnyOf():
            return union([keys(each, layer) for each in criterion.criteria])
        case Chain():
            return union([
                chain_keys(criterion, inner, layer, target)
                for _, inner in criterion.targets for target in layer.others()
            ])  # fmt: skip
        case ReverseChain():
            return union([holder_keys(criterion, layer, holder) for holder in layer.others()])


def conditions(match: Match) -> list[Sql]:
    """The conditions to look up apart; many values are one, as SQLite limits its UNIONs."""
    if len(match.values) > MOST_SELECTS:
        return [condition(match)]
    return [value_condition(match, value) for value in match.values]


def union(selects: Sequence[Sql | None]) -> Sql | None:
    """Several SELECTs as one; None if one of them is missing."""
    known = [each for each in selects if each]
    if not known or len(known) < len(selects):
        return None
    text = " UNION ALL ".join(each.text for each in known)
    return Sql(text, tuple(value for each in known for value in each.values))


def chain_keys(chain: Chain, inner: Criterion, layer: Layer, target: Layer) -> Sql | None:
    """The keys of resources that refer to those in a layer that meet the inner criterion."""
    if not (matched := keys(inner, target)):
        return None
    table, key, filter = index_rows(chain.parameter, layer, "r.")
    text = (
        f"SELECT {key} AS resource FROM ({matched.text}) AS k "
        f"CROSS JOIN {VISIBLE[target.schema]} AS t ON t.key = k.resource "
        f"CROSS JOIN {table} AS r ON {filter.text} AND r.id = t.id AND r.type = t.type"
    )
    return Sql(text, matched.values + filter.values)


def holder_keys(chain: ReverseChain, layer: Layer, holder: Layer) -> Sql | None:
    """The keys of resources to which those in a layer refer that meet the inner criterion."""
    if not (matched := keys(chain.criterion, holder)):
        return None
    table, key, filter = index_rows(chain.parameter, holder, "r.")
    text = (
        f"SELECT t.key AS resource FROM ({matched.text}) AS k "
        f"CROSS JOIN {VISIBLE[holder.schema]} AS h ON h.key = k.resource "
        f"CROSS JOIN {table} AS r ON {key} = h.key AND {filter.text} AND r.type = ? "
        f"CROSS JOIN {VISIBLE[layer.schema]} AS t ON t.type = r.type AND t.id = r.id"
    )
    return Sql(text, (*matched.values, *filter.values, chain.target))


def meets(criterion: Criterion, key: str, layer: Layer, depth: int = 0) -> Sql:
    """An expression that is true if a resource meets a criterion.

    Args:
        criterion: the criterion.
        key: the SQL of the resource's key.
        layer: the schema of the resource.
        depth: the number of references followed so far, for names of their own.
    """
    match criterion:
        case Match() | Present():
            return own_test(criterion, key, layer)
        case Not():
            inner = meets(criterion.criterion, key, layer, depth)
            return Sql(f"NOT {inner.text}", inner.values)
        case AnyOf():
            whole = joined(" OR ", [meets(each, key, layer, depth) for each in criterion.criteria])
            return Sql(f"({whole.text})", whole.values)
        case Chain():
            branches = [
                chain_test(criterion, branch, key, layer, target, depth + 1)
                for branch in criterion.targets
                for target in layer.others()
            ]
            whole = joined(" OR ", branches)
            return Sql(f"({whole.text})", whole.values)
        case ReverseChain():
            holders = [
                holder_test(criterion, key, layer, holder, depth + 1) for holder in layer.others()
            ]
            whole = joined(" OR ", holders)
            return Sql(f"({whole.text})", whole.values)


def own_test(criterion: Match | Present, key: str, layer: Layer) -> Sql:
    """An expression that is true if a resource has a row that matches."""
    table, column, filter = index_rows(criterion.parameter, layer)
    rows = condition(criterion) if isinstance(criterion, Match) else Sql("1")
    text = (
        f"EXISTS (SELECT 1 FROM {table} WHERE {column} = {key} AND {filter.text} AND ({rows.text}))"
    )
    return Sql(text, filter.values + rows.values)


def chain_test(
    chain: Chain, branch: tuple[str, Criterion], key: str, layer: Layer, target: Layer, depth: int
) -> Sql:
    """An expression that is true if a resource refers to one of a type that meets a criterion."""
    kind, criterion = branch
    table, column, filter = index_rows(chain.parameter, layer, f"r{depth}.")
    matched = None if is_indexed(criterion) else keys(criterion, target)
    if matched:  # looked up once for all resources
        text = (
            f"EXISTS (SELECT 1 FROM {table} AS r{depth} WHERE {column} = {key} AND {filter.text}"
            f" AND r{depth}.type = ? AND +r{depth}.id IN (SELECT t.id FROM"
            f" {VISIBLE[target.schema]} AS t WHERE +t.type = ? AND t.key IN ({matched.text})))"
        )
        return Sql(text, (*filter.values, kind, kind, *matched.values))
    inner = meets(criterion, f"t{depth}.key", target, depth)
    text = (
        f"EXISTS (SELECT 1 FROM {table} AS r{depth} CROSS JOIN {VISIBLE[target.schema]} AS t{depth}"
        f" ON t{depth}.type = r{depth}.type AND t{depth}.id = r{depth}.id"
        f" WHERE {column} = {key} AND {filter.text} AND r{depth}.type = ? AND {inner.text})"
    )
    return Sql(text, (*filter.values, kind, *inner.values))


def holder_test(chain: ReverseChain, key: str, layer: Layer, holder: Layer, depth: int) -> Sql:
    """An expression that is true if a resource is referred to by one that meets a criterion."""
    table, column, filter = index_rows(chain.parameter, holder, f"r{depth}.")
    inner = meets(chain.criterion, f"h{depth}.key", holder, depth)
    text = (
        f"EXISTS (SELECT 1 FROM {VISIBLE[layer.schema]} AS t{depth}"
        f" CROSS JOIN {table} AS r{depth} ON {filter.text} AND r{depth}.id = t{depth}.id"
        f" AND r{depth}.type = t{depth}.type"
        f" CROSS JOIN {VISIBLE[holder.schema]} AS h{depth} ON h{depth}.key = {column}"
        f" WHERE t{depth}.key = {key} AND {inner.text})"
    )
    return Sql(text, filter.values + inner.values)


def index_rows(parameter: SearchParameter, layer: Layer, alias: str = "") -> tuple[str, str, Sql]:
    """The table with a parameter's values, its column of keys, and the condition on its rows."""
    if parameter.name == "_id":
        rows = f"(SELECT key, type, id AS code, '' AS system FROM {VISIBLE[layer.schema]})"
        return rows, f"{alias}key", Sql(f"{alias}type = ?", (parameter.type,))
    if parameter.name == "_lastUpdated":
        rows = (
            f"(SELECT key, type, updated AS low, updated + 1 AS high FROM {VISIBLE[layer.schema]}"
            " WHERE updated > 0)"
        )
        return rows, f"{alias}key", Sql(f"{alias}type = ?", (parameter.type,))
    text = f"{alias}parameter = {parameter.number}"
    return f"{layer.schema}.{TABLES[parameter.kind]}", f"{alias}resource", Sql(text)


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
