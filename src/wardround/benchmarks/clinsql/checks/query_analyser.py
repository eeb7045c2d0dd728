"""Gathers the facts of a query from its scopes."""

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts, Role
from wardround.benchmarks.clinsql.checks.query_scopes import (
    Tracer,
    conjuncts,
    inner,
    root_scope,
)


@lru_cache(maxsize=128)
def query_facts(sql: str) -> QueryFacts:
    """The facts of a query.

    Raises:
        UnreadableQueryError: It cannot be parsed, or its names cannot be resolved.
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
            if found := select.args.get(clause):
                self._condition(scope, found.this, role)
        for join in select.args.get("joins") or ():
            if on := join.args.get("on"):
                self._condition(scope, on, "optional" if join.args.get("side") else role)

    def _condition(self, scope: Scope, condition: exp.Expr, role: Role) -> None:
        for part in conjuncts(condition):
            for found in conjuncts(_without_queries(self._tracer.traced(scope, part))):
                self.facts.conditions.append(Condition(found, role))
                if found.find(exp.AggFunc):
                    for flag in _flag_conditions(found):
                        self._flag(flag)
                self._equality(found)
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
    """A condition with a column `_query` for each subquery, whose own conditions are gathered."""
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
        found: exp.Expr = select.expressions[int(key.name) - 1].unalias()
        return found
    return key


def _holds(part: exp.Expr, inner: exp.Expr) -> bool:
    node: exp.Expr | None = inner
    while node is not None and node is not part:
        node = node.parent
    return node is part


def _inner_role(inner: exp.Expr, part: exp.Expr, role: Role) -> Role:
    """The role of a subquery's conditions by what stands above it within a condition."""
    found: Role = role
    node: exp.Expr | None = inner
    while node is not None:
        if isinstance(node, exp.Not):
            return "excluded"
        if isinstance(node, (exp.Or, exp.Case, exp.If)):
            found = "flag"
        if node is part:
            break
        node = node.parent
    return found


def _flag_conditions(value: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that decide a value."""
    for node in value.find_all(exp.If, exp.CountIf, exp.LogicalOr):
        case = node.parent
        if isinstance(case, exp.Case) and case.this is not None:
            yield exp.EQ(this=case.this.copy(), expression=node.this.copy())
        else:
            yield node.this
