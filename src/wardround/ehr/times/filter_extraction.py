"""Time filters taken out of a query, and other ones put in their places."""

from collections.abc import Sequence

from sqlglot import exp, parse_one

from wardround.ehr.times.conditions import (
    Choice,
    chosen_row,
    chosen_visit,
    condition,
    condition_between,
)
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Dialect, Rank, Visit
from wardround.ehr.times.query_filters import Site, all_sites

# What stands where a filter was: its number, then its columns.
CONDITION = "TIME_CONDITION"
PAIR = "TIME_PAIR"
VISIT = "TIME_VISIT"
ROW = "TIME_ROW"


def extracted(tree: exp.Expression) -> tuple[exp.Expression, tuple[TimeFilter, ...]]:
    """The query with its time filters replaced by numbered places, and the filters by number.

    Equal filters share a number, as a filter of one event often stands at the other too. A place
    is a call with the number and the columns: `TIME_CONDITION(0, charttime)` and
    `TIME_PAIR(0, T1.charttime, T2.charttime)` among the conditions, `TIME_VISIT(0, start, end)`
    there for a stay, whose ORDER BY and LIMIT are gone, and `TIME_ROW(0, charttime)` as last key
    of an ORDER BY whose LIMIT is gone. The tree given stays as it is.

    >>> tree = parse_one("SELECT dose FROM prescriptions ORDER BY starttime LIMIT 1", read="sqlite")
    >>> places, filters = extracted(tree)
    >>> places.sql("sqlite"), [filter.template.id for filter in filters]
    ('SELECT dose FROM prescriptions ORDER BY TIME_ROW(0, starttime)', ['exact-first'])
    """
    tree = tree.copy()
    filters: list[TimeFilter] = []
    for site in all_sites(tree):
        if site.found.filter not in filters:
            filters.append(site.found.filter)
        _take_out(site, filters.index(site.found.filter))
    return tree, tuple(filters)


def filled(
    tree: exp.Expression, filters: Sequence[TimeFilter | None], dialect: Dialect = "sqlite"
) -> exp.Expression:
    """The query with filters in its numbered places: `extracted` backwards.

    Args:
        tree: A query with places.
        filters: What goes into each by number; None leaves the rows unfiltered.
        dialect: Whose expressions to use.

    Raises:
        IndexError: If a place has no filter.
        TypeError: If a filter cannot stand in a place, as a visit among the conditions on time.
            An exact time can stand where a condition or where a row was.
    """
    tree = tree.copy()
    for place in list(tree.find_all(exp.Anonymous)):
        if place.name in (CONDITION, PAIR, VISIT, ROW):
            number, *columns = place.expressions
            filter, named = filters[int(number.name)], [column.sql(dialect) for column in columns]
            choice = _choice(place.name, filter, named, dialect) if filter else Choice("", "")
            _put_in(place, choice, dialect)
    return tree


def _take_out(site: Site, number: int) -> None:
    place = exp.Anonymous(
        this=_kind(site.found.filter),
        expressions=[exp.Literal.number(number), *(column.copy() for column in site.found.columns)],
    )
    if site.nodes:
        for further in site.nodes[1:]:
            _remove(further)
        site.nodes[0].replace(place)
    else:
        key = exp.Ordered(this=place, nulls_first=True)
        site.select.args["order"].expressions[-1].replace(key)
    if site.ordered:
        for clause in ("limit", "offset") if not site.nodes else ("order", "limit", "offset"):
            site.select.set(clause, None)


def _kind(filter: TimeFilter) -> str:
    match filter.template.meaning:
        case Visit():
            return VISIT
        case Rank():
            return ROW
    return PAIR if filter.template.role == "within" else CONDITION


def _put_in(place: exp.Anonymous, choice: Choice, dialect: Dialect) -> None:
    select = place.find_ancestor(exp.Select) or exp.Select()
    key = place.parent if isinstance(place.parent, exp.Ordered) else None
    keys_before = _keys_before(place)
    if choice.where and not key:
        place.replace(parse_one(choice.where, read=dialect))
    else:
        _remove(key or place)
    if choice.where and key:
        select.where(choice.where, dialect=dialect, copy=False)
    if choice.order:
        chosen = parse_one(f"SELECT 1 {choice.order}", read=dialect)
        for clause in ("order", "limit", "offset"):
            select.set(clause, chosen.args.get(clause))
        select.args["order"].set("expressions", [*keys_before, *chosen.args["order"].expressions])


def _choice(kind: str, filter: TimeFilter, columns: list[str], dialect: Dialect) -> Choice:
    if kind == PAIR:
        return Choice(condition_between(filter, columns[0], columns[1], dialect), "")
    if kind == VISIT:
        return chosen_visit(filter, columns[0], columns[1], dialect)
    # "First" and "at 2102-07-05 14:24:00" stand at other places for one and the same thing.
    if kind == ROW or filter.template.role == "exact":
        return chosen_row(filter, columns[0], dialect)
    return Choice(condition(filter, columns[0], dialect), "")


def _keys_before(place: exp.Expression) -> list[exp.Expression]:
    """The keys of an ORDER BY that come before the place, which are more than the time to it."""
    order = place.find_ancestor(exp.Order, exp.Select)
    return list(order.expressions[:-1]) if isinstance(order, exp.Order) else []


def _remove(node: exp.Expression) -> None:
    """Take one condition, or one key of an ORDER BY, away with what is empty without it."""
    parent = node.parent
    if isinstance(parent, exp.And | exp.Or):
        parent.replace(parent.right if parent.left is node else parent.left)
    elif isinstance(parent, exp.Order) and len(parent.expressions) > 1:
        node.pop()
    elif isinstance(parent, exp.Paren):
        _remove(parent)
    elif parent:
        parent.pop()
