"""Extraction of time filters from a query into numbered placeholders, and the inverse."""

from collections.abc import Sequence

from sqlglot import exp, parse_one

from wardround.ehr.database import Dialect
from wardround.ehr.times.conditions import (
    RowChoice,
    condition,
    pair_condition,
    row_choice,
    visit_choice,
)
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Rank, Visit
from wardround.ehr.times.query_filters import FilterSite, all_sites

# Placeholder functions; their arguments are the filter's number and its columns.
CONDITION = "TIME_CONDITION"
PAIR = "TIME_PAIR"
VISIT = "TIME_VISIT"
ROW = "TIME_ROW"


def extract_filters(tree: exp.Expression) -> tuple[exp.Expression, tuple[TimeFilter, ...]]:
    """A copy of the query with numbered placeholders, and the time filters by number.

    Equal filters share a number. A placeholder is a call with the number and the columns:
    `TIME_CONDITION(0, charttime)`, `TIME_PAIR(0, T1.charttime, T2.charttime)` or
    `TIME_VISIT(0, start, end)` among the conditions, or `TIME_ROW(0, charttime)` as the last key
    of ORDER BY. The LIMIT of a row, and the ORDER BY and LIMIT of a visit, are removed.

    >>> tree = parse_one("SELECT dose FROM prescriptions ORDER BY starttime LIMIT 1", read="sqlite")
    >>> template, filters = extract_filters(tree)
    >>> template.sql("sqlite"), [filter.template.id for filter in filters]
    ('SELECT dose FROM prescriptions ORDER BY TIME_ROW(0, starttime)', ['exact-first'])
    """
    tree = tree.copy()
    filters: list[TimeFilter] = []
    for site in all_sites(tree):
        if site.recognised.filter not in filters:
            filters.append(site.recognised.filter)
        _insert_placeholder(site, filters.index(site.recognised.filter))
    return tree, tuple(filters)


def fill_filters(
    tree: exp.Expression, filters: Sequence[TimeFilter | None], dialect: Dialect = "sqlite"
) -> exp.Expression:
    """A copy of the query with filters in its placeholders; inverts `extract_filters`.

    Args:
        tree: A query with placeholders.
        filters: The filters by number; None leaves the rows unfiltered.
        dialect: The dialect of the inserted SQL.

    Raises:
        IndexError: If a placeholder has no filter.
        TypeError: If a filter does not fit its placeholder, such as a visit in a time condition.
            An exact time fits both a condition and a row.
    """
    tree = tree.copy()
    for placeholder in list(tree.find_all(exp.Anonymous)):
        if placeholder.name in (CONDITION, PAIR, VISIT, ROW):
            number, *columns = placeholder.expressions
            filter, column_sql = (
                filters[int(number.name)],
                [column.sql(dialect) for column in columns],
            )
            choice = (
                _choice(placeholder.name, filter, column_sql, dialect)
                if filter
                else RowChoice("", "")
            )
            _fill_placeholder(placeholder, choice, dialect)
    return tree


def _insert_placeholder(site: FilterSite, number: int) -> None:
    placeholder = exp.Anonymous(
        this=_placeholder_name(site.recognised.filter),
        expressions=[
            exp.Literal.number(number),
            *(column.copy() for column in site.recognised.columns),
        ],
    )
    if site.nodes:
        for redundant in site.nodes[1:]:
            _remove(redundant)
        site.nodes[0].replace(placeholder)
    else:
        key = exp.Ordered(this=placeholder, nulls_first=True)
        site.select.args["order"].expressions[-1].replace(key)
    if site.ordered:
        for clause in ("limit", "offset") if not site.nodes else ("order", "limit", "offset"):
            site.select.set(clause, None)


def _placeholder_name(filter: TimeFilter) -> str:
    match filter.template.meaning:
        case Visit():
            return VISIT
        case Rank():
            return ROW
    return PAIR if filter.template.role == "within" else CONDITION


def _fill_placeholder(placeholder: exp.Anonymous, choice: RowChoice, dialect: Dialect) -> None:
    select = placeholder.find_ancestor(exp.Select) or exp.Select()
    key = placeholder.parent if isinstance(placeholder.parent, exp.Ordered) else None
    keys_before = _keys_before(placeholder)
    if choice.where and not key:
        placeholder.replace(parse_one(choice.where, read=dialect))
    else:
        _remove(key or placeholder)
    if choice.where and key:
        select.where(choice.where, dialect=dialect, copy=False)
    if choice.order:
        parsed = parse_one(f"SELECT 1 {choice.order}", read=dialect)
        for clause in ("order", "limit", "offset"):
            select.set(clause, parsed.args.get(clause))
        select.args["order"].set("expressions", [*keys_before, *parsed.args["order"].expressions])


def _choice(kind: str, filter: TimeFilter, columns: list[str], dialect: Dialect) -> RowChoice:
    if kind == PAIR:
        return RowChoice(pair_condition(filter, columns[0], columns[1], dialect), "")
    if kind == VISIT:
        return visit_choice(filter, columns[0], columns[1], dialect)
    # "First" and "at 2102-07-05 14:24:00" are interchangeable.
    if kind == ROW or filter.template.role == "exact":
        return row_choice(filter, columns[0], dialect)
    return RowChoice(condition(filter, columns[0], dialect), "")


def _keys_before(placeholder: exp.Expression) -> list[exp.Expression]:
    """The ORDER BY keys before the placeholder, which take precedence over the time."""
    order = placeholder.find_ancestor(exp.Order, exp.Select)
    return list(order.expressions[:-1]) if isinstance(order, exp.Order) else []


def _remove(node: exp.Expression) -> None:
    """Remove a condition or an ORDER BY key, and clauses left empty."""
    parent = node.parent
    if isinstance(parent, exp.And | exp.Or):
        parent.replace(parent.right if parent.left is node else parent.left)
    elif isinstance(parent, exp.Order) and len(parent.expressions) > 1:
        node.pop()
    elif isinstance(parent, exp.Paren):
        _remove(parent)
    elif parent:
        parent.pop()
