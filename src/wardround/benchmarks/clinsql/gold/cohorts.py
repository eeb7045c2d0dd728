"""The cohort of a query: the patients or stays that reach its final aggregation, by lineage."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.scopes import UnreadableQueryError, parsed
from wardround.benchmarks.clinsql.layouts import cohort_keys, layout_tables, likely_layout
from wardround.benchmarks.kit.traced_columns import own_nodes

# The clauses of a SELECT other than those that choose its rows.
_NOT_SOURCES = frozenset(
    ("expressions", "group", "having", "qualify", "order", "limit", "offset", "distinct", "with_")
)


@dataclass(frozen=True, slots=True)
class CohortOverlap:
    """Overlap of a cohort with the gold's, as shares from 0 to 1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def overlap(cohort: AbstractSet[object], gold: AbstractSet[object]) -> CohortOverlap:
    """Compares a cohort with the gold's; two empty ones are equal.

    >>> overlap({1, 2, 3, 4}, {1, 2}).f1
    0.6666666666666666
    """
    if not cohort and not gold:
        return CohortOverlap(1.0, 1.0)
    shared = len(cohort & gold)
    return CohortOverlap(
        shared / len(cohort) if cohort else 0.0, shared / len(gold) if gold else 0.0
    )


class NoCohortError(Exception):
    """The lineage of a query leads to no key; the message says where it is lost."""


def cohort_queries(sql: str, keys: Sequence[str] = ()) -> dict[str, str]:
    """For each key that can be derived, the query of its distinct values in the cohort.

    Args:
        sql: one query in BigQuery's dialect.
        keys: the keys that are wanted; those of all layouts by default.

    Raises:
        NoCohortError: it cannot be parsed, has no aggregation, or none of the keys reaches it.

    >>> cohort_queries("SELECT COUNT(*) FROM patients AS p WHERE p.gender = 'F'")
    {'subject_id': "SELECT DISTINCT p.subject_id AS id FROM patients AS p WHERE p.gender = 'F'"}
    """
    lineage = cohort_lineage(sql, keys)
    return {key: lineage.query(key) for key in lineage.owners}


@dataclass(frozen=True, slots=True)
class CohortLineage:
    """The way of a cohort's keys through a query.

    Attributes:
        tree: the query.
        scope: its final aggregation.
        owners: the source in it that has each key.
    """

    tree: exp.Query
    scope: exp.Select
    owners: Mapping[str, exp.Expr]

    def query(self, key: str) -> str:
        """The query of the distinct values of a key that reach the final aggregation."""
        column = exp.column(key, table=self.owners[key].alias_or_name or None)
        ids = exp.Select(expressions=[exp.alias_(column, "id")])
        for clause, parts in self.scope.args.items():
            if clause not in _NOT_SOURCES:
                ids.set(clause, _copied(parts))
        outer = [] if self.scope is self.tree else self.scope.ctes
        if named := [*self.tree.ctes, *outer]:
            ids.set("with_", exp.With(expressions=[cte.copy() for cte in named]))
        return ids.distinct(copy=False).sql("bigquery", copy=False)


def cohort_lineage(sql: str, keys: Sequence[str] = ()) -> CohortLineage:
    """The lineage of the keys of a query's cohort; of those of all layouts by default.

    Raises:
        NoCohortError: it cannot be parsed, has no aggregation, or none of the keys reaches it.
    """
    try:
        tree = parsed(sql)
    except UnreadableQueryError as error:
        raise NoCohortError(str(error)) from error
    return tree_lineage(tree, keys)


def tree_lineage(tree: exp.Query, keys: Sequence[str] = ()) -> CohortLineage:
    """The lineage of the keys of the cohort of a query that is parsed; it is not changed.

    Raises:
        NoCohortError: it has no aggregation, or none of the keys reaches it.
    """
    ctes = _ctes(tree)
    scope = _aggregation(tree, ctes)
    sources = [(source, _columns(source, ctes)) for source in _sources(scope)]
    queries = {
        key: next((s for s, names in sources if key in names), None)
        for key in keys or cohort_keys()
    }
    owners = {key: source for key, source in queries.items() if source is not None}
    if not owners:
        raise NoCohortError("no key of a patient or stay reaches the final aggregation")
    return CohortLineage(tree, scope, owners)


def _copied(parts: Any) -> Any:
    """A copy of the parts of a clause."""
    if isinstance(parts, list):
        return [_copied(part) for part in parts]
    return parts.copy() if isinstance(parts, exp.Expr) else parts


def _ctes(tree: exp.Query) -> dict[str, exp.Query]:
    return {cte.alias.lower(): cte.this for cte in tree.ctes if isinstance(cte.this, exp.Query)}


def _aggregation(query: exp.Query, ctes: Mapping[str, exp.Query]) -> exp.Select:
    """The outermost SELECT that aggregates; the first part of a union stands for all of it.

    Raises:
        NoCohortError: there is none on the way of the first sources.
    """
    while True:
        if isinstance(query, exp.SetOperation):
            query = query.left
        elif isinstance(query, exp.Subquery):
            query = query.this
        elif not isinstance(query, exp.Select):
            raise NoCohortError("its final step is no SELECT")
        elif _aggregates(query):
            return query
        else:
            query = _first_source(query, ctes)


def _aggregates(select: exp.Select) -> bool:
    if select.args.get("group"):
        return True
    return any(
        isinstance(node, (exp.AggFunc, exp.CountIf)) and not node.find_ancestor(exp.Window)
        for projection in select.expressions
        for node in own_nodes(projection)
    )


def _first_source(select: exp.Select, ctes: Mapping[str, exp.Query]) -> exp.Query:
    source = select.args.get("from_") or select.args.get("from")
    first = source.this if source else None
    if isinstance(first, exp.Subquery):
        return first
    if isinstance(first, exp.Table) and first.name.lower() in ctes:
        return ctes[first.name.lower()]
    raise NoCohortError("it aggregates nothing")


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    source = select.args.get("from_") or select.args.get("from")
    if source:
        yield source.this
    yield from (join.this for join in select.args.get("joins") or () if _keeps_rows(join))


def _keeps_rows(join: exp.Expr) -> bool:
    """False for the optional side of an outer join, whose keys may be NULL."""
    return join.args.get("side") not in ("LEFT", "FULL")


def _columns(source: exp.Expr, ctes: Mapping[str, exp.Query]) -> set[str]:
    """The names of the columns of a source."""
    if isinstance(source, exp.Table):
        # A path in one pair of backticks is one name.
        name = source.name.lower().rpartition(".")[2]
        if not source.db and name in ctes:
            return _projected(ctes[name], ctes)
        return set(layout_tables(likely_layout([name])).get(name, ()))
    return _projected(source.this, ctes) if isinstance(source, exp.Subquery) else set()


def _projected(query: exp.Expr, ctes: Mapping[str, exp.Query]) -> set[str]:
    while isinstance(query, (exp.SetOperation, exp.Subquery)):
        query = query.left if isinstance(query, exp.SetOperation) else query.this
    if not isinstance(query, exp.Select):
        return set()
    names = {projection.alias_or_name.lower() for projection in query.expressions}
    if any(projection.is_star for projection in query.expressions):
        names |= set().union(*(_columns(source, ctes) for source in _sources(query)))
    return names
