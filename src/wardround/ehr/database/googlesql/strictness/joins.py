"""Sources of a query: its FROM clause and its joins."""

from typing import TYPE_CHECKING

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness import signatures
from wardround.ehr.database.googlesql.strictness.kinds import are_comparable
from wardround.ehr.database.googlesql.strictness.refusal import refusal
from wardround.ehr.database.googlesql.strictness.scopes import UNKNOWN, Scope, Source

if TYPE_CHECKING:
    from wardround.ehr.database.googlesql.strictness.queries import Resolver, Steps


def read(resolver: "Resolver", query: exp.Select, scope: Scope, steps: "Steps") -> None:
    """Fill a query's scope with its sources, and check the conditions of its joins."""
    clause = query.args.get("from_")
    if clause is None:
        return
    _add(resolver, clause.this, scope, steps)
    for lateral in query.args.get("laterals") or ():
        scope.add(lateral.alias.lower(), Source(open=True))
    for join in query.args.get("joins") or ():
        _join(resolver, join, scope, steps)


def _join(resolver: "Resolver", join: exp.Join, scope: Scope, steps: "Steps") -> None:
    before = dict(scope.sources)
    _add(resolver, join.this, scope, steps)
    new = [source for alias, source in scope.sources.items() if alias not in before]
    for name in join.args.get("using") or ():
        _merge(name.name.lower(), scope, before, new)
    on = join.args.get("on")
    if on is not None:
        resolver.typed(on, scope, steps)
        signatures.condition(on)


def _merge(name: str, scope: Scope, before: dict[str, Source], new: list[Source]) -> None:
    """Join by a column of the same name on both sides."""
    left = [kind for source in before.values() for kind in source.types(name)]
    right = [kind for source in new for kind in source.types(name)]
    for side in (left, right):
        if not side:
            raise refusal("unknown column", f"{name}, named by USING, is not on both sides.")
    merged = scope.merged.get(name, left[0])
    if name not in scope.merged and len(left) > 1:
        raise refusal("ambiguous column", f"{name}, named by USING, is in two tables on the left.")
    sides = [exp.column(name), exp.column(name)]
    sides[0].type, sides[1].type = merged, right[0]
    if not are_comparable(*sides):
        raise refusal("comparable types", f"{name}, named by USING, has two types.")
    scope.merged[name] = merged


def _add(resolver: "Resolver", node: exp.Expr, scope: Scope, steps: "Steps") -> None:
    alias = (node.alias_or_name or f"_{len(scope.sources)}").lower()
    if isinstance(node, exp.Unnest):
        _unnest(resolver, node, scope, steps)
    elif node.args.get("pivots"):
        scope.add(alias, Source(open=True))
    elif isinstance(node, exp.Table):
        if node.db.lower() in scope.sources:  # an array of an earlier source
            scope.add(alias, Source(open=True, value=UNKNOWN))
        else:
            scope.add(alias, resolver.table(node, steps))
    elif isinstance(node, exp.Subquery):
        if isinstance(node.this, exp.Table):  # joins in parentheses
            _add(resolver, node.this, scope, steps)
        else:
            scope.add(alias, Source(resolver.output(node, steps, scope.outer), path=(alias,)))
    else:
        scope.add(alias, Source(open=True))
    for join in node.args.get("joins") or ():
        _join(resolver, join, scope, steps)


def _unnest(resolver: "Resolver", node: exp.Unnest, scope: Scope, steps: "Steps") -> None:
    for each in node.expressions:
        resolver.typed(each, scope, steps)
    array = node.expressions[0].type if node.expressions else None
    known = array is not None and array.is_type(exp.DType.ARRAY) and array.expressions
    element = array.expressions[0] if array is not None and known else UNKNOWN
    fields = tuple(
        (each.name.lower(), each.args.get("kind") or UNKNOWN)
        for each in (element.expressions if element.is_type(exp.DType.STRUCT) else ())
        if isinstance(each, exp.ColumnDef)
    )
    names = (
        [each.name.lower() for each in node.args["alias"].columns]
        if node.alias_column_names
        else []
    )
    alias = names[0] if names else (node.alias or f"_{len(scope.sources)}").lower()
    scope.add(alias, Source(fields, value=element, open=element is UNKNOWN))
    offset = node.args.get("offset")
    if offset:
        name = offset.name.lower() if isinstance(offset, exp.Identifier) else "offset"
        scope.add(name, Source(value=exp.DataType.build("INT64", "bigquery")))
