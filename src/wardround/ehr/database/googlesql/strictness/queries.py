"""Resolves a query's columns and types, step by step, as GoogleSQL does without its analyser."""

from collections.abc import Iterable, Mapping
from functools import cache

from sqlglot import exp

from wardround.ehr.database.googlesql.names import PROJECT, datasets_of
from wardround.ehr.database.googlesql.strictness import aggregates as grouping
from wardround.ehr.database.googlesql.strictness import signatures
from wardround.ehr.database.googlesql.strictness.kinds import annotator, are_comparable, kind
from wardround.ehr.database.googlesql.strictness.refusal import refusal
from wardround.ehr.database.googlesql.strictness.scopes import UNKNOWN, Scope, Source

Output = tuple[tuple[str, exp.DataType], ...]
Steps = Mapping[str, Source]


class Resolver:
    """Resolves one query.

    Args:
        columns: The columns of each table, with BigQuery's types.
    """

    def __init__(self, columns: Mapping[str, Mapping[str, str]]) -> None:
        self._columns = columns
        self._annotator = annotator()

    def output(self, query: exp.Expr, steps: Steps, outer: Scope | None = None) -> Output:
        """Name and type of each column of a query.

        Raises:
            QueryError: It breaks a rule.
        """
        steps = self._steps(query, steps)
        if isinstance(query, exp.Subquery | exp.Paren):
            return self.output(query.this, steps, outer)
        if isinstance(query, exp.SetOperation):
            return self._of_set(query, steps, outer)
        if not isinstance(query, exp.Select):
            raise refusal("syntax", "this is not a query.")
        return self._of_select(query, steps, outer)

    def _steps(self, query: exp.Expr, steps: Steps) -> Steps:
        made = dict(steps)
        clause = query.args.get("with_")
        if clause is None:
            return made
        for cte in clause.expressions:
            name, body = cte.alias.lower(), cte.this
            if clause.recursive and isinstance(body, exp.SetOperation):
                made[name] = Source(self.output(body.left, made), path=(name,))
            made[name] = Source(self.output(body, made), path=(name,))
        return made

    def _of_set(self, query: exp.SetOperation, steps: Steps, outer: Scope | None) -> Output:
        left = self.output(query.left, steps, outer)
        right = self.output(query.right, steps, outer)
        if query.args.get("by_name"):
            return left
        if len(left) != len(right):
            raise refusal(
                "set columns", f"{len(left)} columns on one side, {len(right)} on the other."
            )
        sides = (_sides(query.left, left), _sides(query.right, right))
        merged = [
            (left[at][0], _supertype(*pair)) for at, pair in enumerate(zip(*sides, strict=True))
        ]
        self._order(query, Scope(outer, {"": Source(tuple(merged))}), steps)
        return tuple(merged)

    def _of_select(self, query: exp.Select, steps: Steps, outer: Scope | None) -> Output:
        scope = Scope(outer)
        read(self, query, scope, steps)
        self._condition(query.args.get("where"), scope, steps)
        for window in query.args.get("windows") or ():
            self.typed(window, scope, steps)
        for item in query.expressions:
            if not item.is_star:
                self.typed(item, scope, steps)
        scope.aliases = {each.alias.lower(): each.this for each in query.expressions if each.alias}
        for each in _group_keys(query):
            self.typed(each, scope, steps)
        for clause in ("having", "qualify"):
            self._condition(query.args.get(clause), scope, steps)
        output = self._list(query, scope, steps)
        self._order(query, scope, steps)
        grouping.check(query, id(scope))
        return (("", UNKNOWN),) if query.args.get("kind") else output

    def _condition(self, clause: exp.Expr | None, scope: Scope, steps: Steps) -> None:
        if clause is not None:
            self.typed(clause.this, scope, steps)
            signatures.condition(clause.this)

    def _list(self, query: exp.Select, scope: Scope, steps: Steps) -> Output:
        output: list[tuple[str, exp.DataType]] = []
        for item in query.expressions:
            if item.is_star:
                output.extend(self._star(item, scope, steps))
            else:
                output.append((item.alias_or_name.lower().split(".")[-1], item.type or UNKNOWN))
        return tuple(output)

    def _star(
        self, item: exp.Expr, scope: Scope, steps: Steps
    ) -> Iterable[tuple[str, exp.DataType]]:
        star = item.this if isinstance(item, exp.Column) else item
        alias = item.table.lower() if isinstance(item, exp.Column) else ""
        if alias and alias not in scope.sources:
            raise refusal("unknown column", f"there is no {alias} whose columns could be read.")
        left_out = {each.name.lower() for each in star.args.get("except_") or ()}
        replaced = {}
        for each in star.args.get("replace") or ():
            self.typed(each, scope, steps)
            replaced[each.alias.lower()] = each.type or UNKNOWN
        merged = {} if alias else scope.merged
        seen = list(merged.items())
        for name, source in scope.sources.items():
            if alias in ("", name):
                seen += [each for each in source.columns if each[0] not in merged]
        return [(name, replaced.get(name, type_)) for name, type_ in seen if name not in left_out]

    def _order(self, query: exp.Expr, scope: Scope, steps: Steps) -> None:
        """Types of ORDER BY, in which an alias comes before a column."""
        clause = query.args.get("order")
        names = scope.aliases
        for each in clause.expressions if clause is not None else ():
            key = each.this
            if isinstance(key, exp.Column) and not key.table and key.name.lower() in names:
                key.type = names[key.name.lower()].type
                key.meta["alias"] = True
                signatures.orderable(key)
            else:
                self.typed(key, scope, steps)
                signatures.orderable(key)

    def typed(self, node: exp.Expr, scope: Scope, steps: Steps) -> None:
        """Resolve and type an expression, and check what it calls."""
        nested: list[exp.Expr] = []
        for each in list(node.walk(prune=lambda at: isinstance(at, exp.Query))):
            if isinstance(each, exp.Query):
                nested.append(each)
                self._nested(each, scope, steps)
            elif isinstance(each, exp.Column) and not each.is_star:
                scope.resolve(each)
        self._annotator.annotate_expression(node)
        for each in node.walk(prune=lambda at: isinstance(at, exp.Query)):
            signatures.check(each)

    def _nested(self, query: exp.Query, scope: Scope, steps: Steps) -> None:
        columns = self.output(query, steps, scope)
        parent = query.parent
        several = len(columns) > 1 and not isinstance(parent, exp.Exists)
        if several:
            raise refusal("subquery columns", f"{len(columns)} columns where one is expected.")
        query.type = columns[0][1] if columns else UNKNOWN

    def table(self, node: exp.Table, steps: Steps) -> Source:
        """A table of the database, or an earlier step.

        Raises:
            QueryError: There is none of that name.
        """
        name, dataset = node.name.lower(), node.db
        if not dataset and name in steps:
            return steps[name]
        declared = self._columns.get(node.name)
        known = dataset in datasets_of(node.name, self._columns) and node.catalog in ("", PROJECT)
        if declared is None or not known:
            raise refusal(
                "table name", f"{node.sql('bigquery')} is not a table of a known dataset."
            )
        columns = tuple((each.lower(), _data_type(kind)) for each, kind in declared.items())
        return Source(columns, path=tuple(part.name.lower() for part in node.parts))


@cache
def _data_type(name: str) -> exp.DataType:
    return exp.DataType.build(name, "bigquery")


def _group_keys(query: exp.Select) -> list[exp.Expr]:
    group = query.args.get("group")
    return [] if group is None else list(group.iter_expressions())


def _sides(query: exp.Expr, output: Output) -> list[exp.Expr]:
    """The items of a select list, or columns of the same types."""
    plain = query.unnest()
    items = [each.unalias() for each in plain.selects] if isinstance(plain, exp.Select) else []
    literal = (exp.Null, exp.Literal)
    sides: list[exp.Expr] = []
    for at, (name, type_) in enumerate(output):
        same = len(items) == len(output) and isinstance(items[at], literal)
        sides.append(items[at] if same else exp.column(name))
        if not same:
            sides[-1].type = type_
    return sides


def _supertype(left: exp.Expr, right: exp.Expr) -> exp.DataType:
    """The type of a column of UNION.

    Raises:
        QueryError: The two sides have none in common.
    """
    names = (kind(left), kind(right))
    if not are_comparable(left, right):
        raise refusal(
            "set columns", f"a column is {names[0]} on one side, {names[1]} on the other."
        )
    if None in names:
        return (right if names[0] is None else left).type or UNKNOWN
    order = ("INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64", "DATE", "DATETIME")
    wider = right if set(names) <= set(order) and _wider(names, order) else left
    return (right if left.is_string else wider).type or UNKNOWN


def _wider(names: tuple[str | None, str | None], order: tuple[str, ...]) -> bool:
    return order.index(names[1] or "") > order.index(names[0] or "")


def read(resolver: Resolver, query: exp.Select, scope: Scope, steps: Steps) -> None:
    """Fill a query's scope with its sources, and check the conditions of its joins."""
    clause = query.args.get("from_")
    if clause is None:
        return
    _add(resolver, clause.this, scope, steps)
    for lateral in query.args.get("laterals") or ():
        scope.add(lateral.alias.lower(), Source(open=True))
    for join in query.args.get("joins") or ():
        _join(resolver, join, scope, steps)


def _join(resolver: Resolver, join: exp.Join, scope: Scope, steps: Steps) -> None:
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


def _add(resolver: Resolver, node: exp.Expr, scope: Scope, steps: Steps) -> None:
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


def _unnest(resolver: Resolver, node: exp.Unnest, scope: Scope, steps: Steps) -> None:
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
