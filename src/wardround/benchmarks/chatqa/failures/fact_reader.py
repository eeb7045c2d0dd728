"""Reads the facts of a SQLite query, with each column traced to the table that it comes from."""

from collections import defaultdict
from functools import cache, lru_cache
from itertools import combinations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope
from sqlglot.schema import MappingSchema

from wardround.benchmarks.chatqa.declaration import BENCHMARK
from wardround.benchmarks.chatqa.failures.query_conditions import (
    FLIPPED,
    bound_of,
    constant,
    ranking_of,
    reads_clock,
    result_of,
    texts_of,
    untabled_text,
)
from wardround.benchmarks.chatqa.failures.query_facts import (
    QueryFacts,
    Ranking,
    Result,
    Role,
    Texts,
)
from wardround.benchmarks.kit.traced_columns import Tracer, conjuncts
from wardround.ehr.schema import Schema, load_schema

_DIALECT = "sqlite"
_MOST_NODES = 5000  # larger queries are not read
_READ = 1000  # queries whose facts are kept: golds and trials repeat theirs
_OPPOSITES: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
}


@lru_cache(_READ)
def read_query(sql: str) -> QueryFacts | None:
    """The facts of a query, unclear if its names cannot be resolved; None if it has wrong syntax.

    >>> facts = read_query("SELECT COUNT(DISTINCT o.id) FROM orders o WHERE o.dose * 2 > 8")
    >>> facts.bounds[0].expression, facts.bounds[0].value, facts.results[0].is_distinct
    ('dose', 4.0, True)
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=_DIALECT)
    except SqlglotError:
        return None
    except RecursionError:
        return QueryFacts(is_unclear=True)
    if not isinstance(tree, exp.Query) or sum(1 for _ in tree.walk()) > _MOST_NODES:
        return QueryFacts(is_unclear=True)
    schema = _schema_of(frozenset(table.name.lower() for table in tree.find_all(exp.Table)))
    scope = _qualified(tree, _columns_of(schema.name if schema else ""))
    return _Reading(schema).read(scope) if scope else QueryFacts(is_unclear=True)


def _qualified(tree: exp.Query, columns: MappingSchema) -> Scope | None:
    try:
        qualified = qualify(
            tree,
            schema=columns,
            dialect=_DIALECT,
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        return build_scope(qualified)
    except (SqlglotError, RecursionError, ValueError, KeyError, AttributeError):
        return None


@cache
def _columns_of(layout: str) -> MappingSchema:
    """The tables and columns of a layout, in the form of sqlglot; none for ""."""
    tables = load_schema(layout).tables if layout else ()
    columns: dict[str, object] = {t.name: {c.name: "TEXT" for c in t.columns} for t in tables}
    return MappingSchema(columns, dialect=_DIALECT)


@cache
def _schema_of(tables: frozenset[str]) -> Schema | None:
    """The layout that has most of the tables; None if none has any."""
    layouts = [load_schema(layout.name) for layout in BENCHMARK.layouts]
    shared = {len(tables & {t.name for t in each.tables}): each for each in layouts}
    most = max(shared)
    return shared[most] if most else None


class _Reading:
    """Walks the scopes that a query's result depends on."""

    def __init__(self, schema: Schema | None) -> None:
        self.facts = QueryFacts()
        self._tracer = Tracer()
        self._unique = {
            (table.name, column.name)
            for table in (schema.tables if schema else ())
            for column in table.columns
            if column.unique or table.key == (column.name,)
        }
        # Sets of columns (occurrence, table, name) that the query makes equal.
        self._equal: list[set[tuple[str, str, str]]] = []
        self._rankings: list[Ranking] = []

    def read(self, scope: Scope) -> QueryFacts:
        if not isinstance(scope.expression, exp.Select):
            self.facts.is_unclear = True
            return self.facts
        self.facts.reads_clock = reads_clock(scope.expression)
        self._visit(scope, "required")
        for columns in self._equal:
            for one, other in combinations(sorted(columns), 2):
                if one[0] != other[0]:
                    names = "=".join(sorted({one[2], other[2]}))
                    self.facts.links.setdefault(frozenset((one[1], other[1])), set()).add(names)
        self._joins(scope)
        self._result(scope, scope.expression)
        return self.facts

    def _visit(self, scope: Scope, role: Role) -> None:
        select = scope.expression
        if not isinstance(select, exp.Select) or select.args.get("having"):
            self.facts.is_unclear = True
        if not isinstance(select, exp.Select):
            return
        for _, source in scope.selected_sources.values():
            if isinstance(source, Scope):
                self._visit(source, role)
            else:
                self.facts.tables.add((source.name, role))
        for join in select.args.get("joins") or ():
            if join.side or join.method or join.args.get("using"):
                self.facts.is_unclear = True
            if on := join.args.get("on"):
                self._conditions(scope, on, role)
        if where := select.args.get("where"):
            self._conditions(scope, where.this, role)

    def _conditions(self, scope: Scope, condition: exp.Expr, role: Role) -> None:
        for part in conjuncts(condition):
            self._condition(scope, part, role)

    def _condition(self, scope: Scope, part: exp.Expr, role: Role) -> None:
        part = part.unnest()
        if isinstance(part, exp.Boolean) and part.this:
            return
        if isinstance(part, exp.Not):
            self._negated(scope, part.this.unnest(), role)
        elif isinstance(part, exp.Or):
            self._choice(scope, part, role)
        elif isinstance(part, exp.And):
            self._conditions(scope, part, role)
        elif part.find(exp.Query):
            self._subquery(scope, part, role)
        else:
            self._test(self._tracer.traced(scope, part), role)

    def _negated(self, scope: Scope, part: exp.Expr, role: Role) -> None:
        if isinstance(part, exp.Is) and isinstance(part.expression, exp.Null):
            return  # a column that is compared or counted is none
        if opposite := _OPPOSITES.get(type(part)):
            self._condition(scope, opposite(this=part.this, expression=part.expression), role)
            return
        flipped = "alternative" if isinstance(part, exp.And) else FLIPPED.get(role, "alternative")
        self._condition(scope, part, flipped)

    def _choice(self, scope: Scope, part: exp.Or, role: Role) -> None:
        """Alternatives: texts of one column are one test."""
        parts = list(part.flatten())
        tests = [texts_of(self._tracer.traced(scope, each.unnest()), role) for each in parts]
        texts = [test for test in tests if test]
        if len(texts) == len(parts) and len({(t.column, t.role) for t in texts}) == 1:
            self.facts.texts.append(
                Texts(
                    texts[0].column,
                    texts[0].role,
                    frozenset().union(*(t.texts for t in texts)),
                    frozenset().union(*(t.patterns for t in texts)),
                    all(t.ignores_case for t in texts),
                )
            )
            return
        for each in parts:
            self._conditions(scope, each, "alternative")

    def _subquery(self, scope: Scope, part: exp.Expr, role: Role) -> None:
        """A condition on whether another query has rows, or one with the value of a column."""
        below = next((s for s in scope.subquery_scopes if _holds(part, s.expression)), None)
        if below is None or not isinstance(part, (exp.Exists, exp.In)):
            self.facts.is_unclear = True
        if below is None:
            return
        tests = len(self.facts.texts) + len(self.facts.bounds)
        self._visit(below, role)
        if tests == len(self.facts.texts) + len(self.facts.bounds):
            tables = (table for each in below.traverse() for table in each.tables)
            self.facts.present |= {(table.name, role) for table in tables}
        if isinstance(part, exp.In) and isinstance(below.expression, exp.Select):
            member = self._tracer.traced(below, below.expression.selects[0].unalias())
            self._make_equal(self._tracer.traced(scope, part.this), member)

    def _test(self, test: exp.Expr, role: Role) -> None:
        if ranking := ranking_of(test):
            self._rankings.append(ranking)
        elif texts := texts_of(test, role):
            self.facts.texts.append(texts)
        elif bound := bound_of(test, role):
            if not self._make_equal(test.this, test.expression, isinstance(test, exp.EQ)):
                self.facts.bounds.append(bound)
        else:
            self.facts.is_unclear = True

    def _make_equal(self, left: exp.Expr, right: exp.Expr, is_equality: bool = True) -> bool:
        sides = (left.unnest(), right.unnest())
        columns = [each for each in sides if isinstance(each, exp.Column)]
        if not is_equality or len(columns) < len(sides):
            return False
        if not all(each.db for each in columns):
            self.facts.is_unclear = True  # a column of an unknown table
            return True
        new = {(each.db, each.table, each.name) for each in columns}
        for each in [known for known in self._equal if known & new]:
            self._equal.remove(each)
            new |= each
        self._equal.append(new)
        return True

    def _joins(self, scope: Scope) -> None:
        """Tables without a link, and those whose rows the joins repeat."""
        sources = [source for _, source in scope.selected_sources.values()]
        tables = {
            self._tracer.occurrence(source): source.name
            for source in sources
            if isinstance(source, exp.Table)
        }
        linked: defaultdict[str, set[str]] = defaultdict(set)
        for columns in self._equal:
            if len({occurrence for occurrence, _, _ in columns}) > 1:
                for occurrence, _, name in columns:
                    linked[occurrence].add(name)
        self.facts.has_unlinked = (
            not self.facts.is_unclear
            and len(tables) > 1
            and any(not linked[each] for each in tables)
        )
        self.facts.is_nested = len(tables) < len(sources)
        many = {
            occurrence
            for occurrence, table in tables.items()
            if not any((table, name) in self._unique for name in linked[occurrence])
        }
        repeated = {occurrence for occurrence in tables if many - {occurrence}}
        self.facts.repeated = {tables[occurrence] for occurrence in repeated}
        once = {table for occurrence, table in tables.items() if occurrence not in repeated}
        self.facts.single = {name for table, name in self._unique if table in once}

    def _result(self, scope: Scope, select: exp.Select) -> None:
        values = [self._tracer.traced(scope, each.unalias()) for each in select.expressions]
        if key := self._counted_key(scope, select):
            values = [exp.Count(this=exp.Distinct(expressions=[key]))]
        self.facts.results = [result_of(value) for value in values]
        self.facts.ranking = self._ranking(scope, select)
        ranking = self.facts.ranking
        if (
            ranking
            and ranking.limit == 1
            and [r.expression for r in self.facts.results] == [ranking.measure]
        ):
            aggregate = "MAX" if ranking.is_descending else "MIN"
            self.facts.results = [Result(aggregate, ranking.measure)]
            self.facts.ranking = None

    def _counted_key(self, scope: Scope, select: exp.Select) -> exp.Expr | None:
        """The key of a nested query whose rows are counted, one a key; None for other queries."""
        sources = [source for _, source in scope.selected_sources.values()]
        counted = select.selects[0].unalias()
        is_count = isinstance(counted, exp.Count) and isinstance(counted.this, exp.Star)
        if not is_count or len(select.selects) > 1 or select.args.get("where") or len(sources) != 1:
            return None
        (source,) = sources
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Select):
            return None
        nested = source.expression
        if len(nested.selects) > 1:
            return None
        key, group = nested.selects[0].unalias(), nested.args.get("group")
        is_once = nested.args.get("distinct") or (group and group.expressions == [key])
        return self._tracer.traced(source, key) if is_once else None

    def _ranking(self, scope: Scope, select: exp.Select) -> Ranking | None:
        order, limit = select.args.get("order"), select.args.get("limit")
        if order and limit:
            first = order.expressions[0]
            names = {each.alias: each.unalias() for each in select.expressions if each.alias}
            key = names.get(first.this.name, first.this)
            measure = untabled_text(self._tracer.traced(scope, key))
            return Ranking(measure, bool(first.args.get("desc")), constant(limit.expression))
        return self._rankings[0] if self._rankings else None


def _holds(part: exp.Expr, below: exp.Expr) -> bool:
    return any(node is below for node in part.walk())
