"""The facts of a query, gathered from its scopes: tables, conditions, joins and values."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from wardround.benchmarks.clinsql.checks.queries.scopes import root_scope
from wardround.benchmarks.kit.traced_columns import Tracer, conjuncts, inner

# filter: every row has to meet it; optional: stands on the optional side of an outer join;
# excluded: below a NOT; flag: decides a value, not which rows there are.
Role: TypeAlias = Literal["filter", "optional", "excluded", "flag"]


@dataclass(frozen=True)
class Condition:
    """A part of a condition in columns of tables; flags of one expression share a number."""

    expression: exp.Expr
    role: Role
    flag: int = 0

    def reads(self, *names: str) -> bool:
        """True if it reads a column with one of the names."""
        return not self.names.isdisjoint(names)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the columns that it reads."""
        return frozenset(column.name for column in self.expression.find_all(exp.Column))

    @cached_property
    def is_of_row(self) -> bool:
        """True if it neither aggregates nor asks a subquery."""
        return is_of_row(self.expression)

    @cached_property
    def text(self) -> str:
        """Its text without the tables that its columns come from."""
        return untabled_text(self.expression)


@dataclass(slots=True)
class QueryFacts:
    """The facts of a query, over all scopes that its result depends on.

    Attributes:
        tables: the tables that it reads, by occurrence.
        conditions: its conditions.
        equalities: pairs of (occurrence, column) that it makes equal.
        values: the projections of all scopes, traced.
        output: the projections of its last step, traced, by name.
        groups: what it groups by, traced.
        selects: its SELECT steps, qualified.
        set_operation: true if it has a UNION, INTERSECT or EXCEPT.
    """

    tables: dict[str, str] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    equalities: list[tuple[exp.Column, exp.Column]] = field(default_factory=list)
    values: list[exp.Expr] = field(default_factory=list)
    output: dict[str, exp.Expr] = field(default_factory=dict)
    groups: list[exp.Expr] = field(default_factory=list)
    selects: list[exp.Select] = field(default_factory=list)
    set_operation: bool = False

    @property
    def has_untraced(self) -> bool:
        """True if a condition has a column that cannot be traced to a table."""
        return any(condition.reads("_") for condition in self.conditions)

    def filters(self) -> list[Condition]:
        """The conditions that every row has to meet."""
        return [condition for condition in self.conditions if condition.role == "filter"]


def is_of_row(expression: exp.Expr) -> bool:
    """True for an expression that neither aggregates nor asks a subquery."""
    return expression.find(exp.Query, exp.AggFunc, exp.Window, exp.Star) is None


def untabled_text(expression: exp.Expr) -> str:
    """The text of an expression in parentheses, its columns without their tables."""
    plain = exp.Paren(this=expression.copy())
    for column in list(plain.find_all(exp.Column)):
        column.replace(exp.column(column.name))
    return plain.sql("bigquery", copy=False)


@lru_cache(maxsize=128)
def query_facts(sql: str) -> QueryFacts:
    """The facts of a query.

    Raises:
        UnreadableQueryError: it cannot be parsed, or its names cannot be resolved.
    """
    root, tracer = root_scope(sql), Tracer()
    gathering = _Gathering(QueryFacts(), tracer)
    gathering.visit(root, "filter")
    last = root
    while last.set_operation_scopes:
        last = last.set_operation_scopes[0]
    steps = last.expression
    for projection in steps.selects if isinstance(steps, exp.Query) else ():
        traced = tracer.traced(last, projection.unalias())
        gathering.facts.output[projection.alias_or_name] = traced
    return gathering.facts


class _Gathering:
    """Walks the scopes that the result depends on."""

    def __init__(self, facts: QueryFacts, tracer: Tracer) -> None:
        self.facts = facts
        self._tracer = tracer
        self._seen: set[int] = set()

    def visit(self, scope: Scope, role: Role) -> None:
        if id(scope) in self._seen:
            return
        self._seen.add(id(scope))
        if scope.set_operation_scopes:
            self.facts.set_operation = True
            for part in scope.set_operation_scopes:
                self.visit(part, role)
            return
        if isinstance(scope.expression, exp.Select):
            self.facts.selects.append(scope.expression)
            self._sources(scope, role)
            self._conditions(scope, role)
            self._values(scope)

    def _sources(self, scope: Scope, role: Role) -> None:
        optional = {
            join.alias_or_name: "optional"
            for join in scope.expression.args.get("joins") or ()
            if join.args.get("side")
        }
        for name, (_, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table):
                self.facts.tables[self._tracer.occurrence(source)] = source.name
            elif isinstance(source, Scope):
                self.visit(source, "optional" if name in optional else role)

    def _conditions(self, scope: Scope, role: Role) -> None:
        select = scope.expression
        for clause in ("where", "having", "qualify"):
            if condition := select.args.get(clause):
                self._condition(scope, condition.this, role)
        for join in select.args.get("joins") or ():
            if on := join.args.get("on"):
                self._condition(scope, on, "optional" if join.args.get("side") else role)

    def _condition(self, scope: Scope, condition: exp.Expr, role: Role) -> None:
        for part in conjuncts(condition):
            for part_of_test in conjuncts(_without_queries(self._tracer.traced(scope, part))):
                self.facts.conditions.append(Condition(part_of_test, role))
                if part_of_test.find(exp.AggFunc):
                    for flag in _flag_conditions(part_of_test):
                        self._flag(flag)
                self._equality(part_of_test)
            self._subqueries(scope, part, role)

    def _equality(self, condition: exp.Expr) -> None:
        if isinstance(condition, exp.EQ):
            left, right = condition.this.unnest(), condition.expression.unnest()
            if isinstance(left, exp.Column) and isinstance(right, exp.Column):
                self.facts.equalities.append((left, right))

    def _subqueries(self, scope: Scope, part: exp.Expr, role: Role) -> None:
        for below in scope.subquery_scopes:
            if not _holds(part, below.expression):
                continue
            self.visit(below, _inner_role(below.expression, part, role))
            test = below.expression.find_ancestor(exp.In)
            if isinstance(test, exp.In) and isinstance(below.expression, exp.Select):
                value = self._tracer.traced(scope, test.this).unnest()
                member = self._tracer.traced(below, below.expression.selects[0].unalias()).unnest()
                if isinstance(value, exp.Column) and isinstance(member, exp.Column):
                    self.facts.equalities.append((value, member))

    def _values(self, scope: Scope) -> None:
        select = scope.expression
        for projection in select.expressions:
            value = self._tracer.traced(scope, projection.unalias())
            self.facts.values.append(value)
            for condition in _flag_conditions(value):
                self._flag(condition)
        for below in scope.subquery_scopes:
            self.visit(below, "flag")  # those of conditions have been visited
        names = {p.alias_or_name: p.unalias() for p in select.expressions}
        group = select.args.get("group")
        for key in group.expressions if group else ():
            named = names.get(key.name) if isinstance(key, exp.Column) and not key.table else None
            self.facts.groups.append(self._tracer.traced(scope, named or _ordinal(select, key)))

    def _flag(self, condition: exp.Expr) -> None:
        number = 1 + max((c.flag for c in self.facts.conditions), default=0)
        parts = conjuncts(condition)
        self.facts.conditions += [Condition(part, "flag", number) for part in parts]


def _without_queries(condition: exp.Expr) -> exp.Expr:
    """A condition with a column `_query` for each subquery; gathers their own conditions too."""
    box = exp.Paren(this=condition)
    for test in list(box.find_all(exp.In)):
        if test.args.get("query") is not None:
            test.replace(exp.EQ(this=test.this, expression=exp.column("_query")))
    for query in list(box.find_all(exp.Query)):
        if query.parent is not None:
            query.replace(exp.column("_query"))
    return inner(box)


def _ordinal(select: exp.Expr, key: exp.Expr) -> exp.Expr:
    if isinstance(key, exp.Literal) and key.is_int and int(key.name) <= len(select.expressions):
        selected: exp.Expr = select.expressions[int(key.name) - 1].unalias()
        return selected
    return key


def _holds(part: exp.Expr, inner: exp.Expr) -> bool:
    node: exp.Expr | None = inner
    while node is not None and node is not part:
        node = node.parent
    return node is part


def _inner_role(inner: exp.Expr, part: exp.Expr, role: Role) -> Role:
    """The role of a subquery's conditions by what stands above it within a condition."""
    innermost: Role = role
    node: exp.Expr | None = inner
    while node is not None:
        if isinstance(node, exp.Not):
            return "excluded"
        if isinstance(node, (exp.Or, exp.Case, exp.If)):
            innermost = "flag"
        if node is part:
            break
        node = node.parent
    return innermost


def _flag_conditions(value: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that decide a value."""
    for node in value.find_all(exp.If, exp.CountIf, exp.LogicalOr):
        case = node.parent
        if isinstance(case, exp.Case) and case.this is not None:
            yield exp.EQ(this=case.this.copy(), expression=node.this.copy())
        else:
            yield node.this
