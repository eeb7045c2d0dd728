"""Variants of a query that give its result where a requirement is met without being written.

A query that counts rows of which each patient has one need not say DISTINCT, and one whose
averages pass over rows without a value need not leave them out.
"""

import math
from collections.abc import Iterable, Sequence

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.query_scopes import UnreadableQueryError, parsed
from wardround.benchmarks.clinsql.checks.sql_checks import Distinct, ExcludesNull
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.ehr.database import Cell
from wardround.ehr.schema import load_schema


def makes_no_difference(
    check: Distinct | ExcludesNull, sql: str, hospitals: Iterable[Executions]
) -> bool:
    """True if a query that does what the check asks for gives the same result on all hospitals."""
    try:
        tree = parsed(sql).copy()
    except UnreadableQueryError:
        return False
    changed = _distinct(tree, check) if isinstance(check, Distinct) else _without(tree, check)
    if not changed:
        return False
    variant = tree.sql("bigquery")
    return all(_is_same(hospital.of(sql), hospital.of(variant)) for hospital in hospitals)


def _distinct(tree: exp.Expr, check: Distinct) -> bool:
    """Counts distinct values wherever the column, or else each row, is counted."""
    counts = [node for node in tree.find_all(exp.Count) if not isinstance(node.this, exp.Distinct)]
    own = [node for node in counts if _is_column(node.this, check.column)]
    for node in own or (count for count in counts if isinstance(count.this, exp.Star)):
        column = node.this if node in own else exp.column(check.column.lower())
        node.set("this", exp.Distinct(expressions=[column.copy()]))
    return bool(counts)


def _without(tree: exp.Expr, check: ExcludesNull) -> bool:
    """Reads, of each table that has the column, the rows with a value only."""
    column = check.column.lower()
    names = {
        t.name for t in load_schema("mimic_iv").tables if column in {c.name for c in t.columns}
    }
    tables = [table for table in tree.find_all(exp.Table) if table.name.split(".")[-1] in names]
    for table in tables:
        alias = table.alias_or_name.split(".")[-1]
        bare = table.copy()
        bare.set("alias", None)
        filled = exp.select("*").from_(bare).where(exp.column(column).is_(exp.null()).not_())
        table.replace(filled.subquery(alias))
    return bool(tables)


def _is_column(node: exp.Expr | None, name: str) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() == name.lower()


def _is_same(mine: Execution, variant: Execution) -> bool:
    if not (mine.succeeded and variant.succeeded) or len(mine.rows) != len(variant.rows):
        return False
    return any(
        all(map(_is_same_row, order(mine.rows), order(variant.rows))) for order in (list, _sorted)
    )


def _sorted(rows: Sequence[Sequence[Cell]]) -> list[Sequence[Cell]]:
    return sorted(rows, key=str)


def _is_same_row(row: Sequence[Cell], other: Sequence[Cell]) -> bool:
    return all(map(_is_same_cell, row, other))


def _is_same_cell(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, float) and isinstance(other, float):
        return math.isclose(cell, other, rel_tol=1e-9)
    return cell == other
