"""The time filters of a query: conditions, visits chosen, rows chosen by their time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from wardround.ehr.times.condition_parser import Recognised, compared, within_period
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Rank, Visit
from wardround.ehr.times.stays import StayColumns, all_stays, time_columns
from wardround.ehr.times.templates import template_of


@dataclass(frozen=True)
class Site:
    """Where a filter stands in a select.

    Attributes:
        nodes: The conditions it is made of, all of one clause; none for a row chosen by its time.
        ordered: The select's ORDER BY and LIMIT belong to it.
    """

    found: Recognised
    select: exp.Select
    nodes: tuple[exp.Expression, ...]
    ordered: bool


def recognise(node: exp.Expression) -> Recognised | None:
    """The time filter that a node is: a condition, several joined by AND, or a key of ORDER BY.

    A visit needs the select around its condition, and a row chosen by its time the LIMIT of its
    select. All dialects that `condition` writes are understood, and the published queries.

    >>> from sqlglot import parse_one
    >>> found = recognise(parse_one("strftime('%Y-%m', charttime) >= '2102-07'", read="sqlite"))
    >>> found.filter.template.id, dict(found.filter.values)
    ('abs-month-since', {'year': 2102, 'month': 7})
    """
    match node:
        case exp.And():
            whole = within_period(_flat(node))
            return whole[0] if whole and whole[1] == len(_flat(node)) else None
        case exp.Is() | exp.Not():
            return _visit(node)
        case exp.Ordered():
            return _rank(node)
    return compared(node)


def recognised(tree: exp.Expression) -> tuple[Recognised, ...]:
    """All time filters of a query, those of an outer select before those of the ones in it."""
    return tuple(site.found for site in all_sites(tree))


def all_sites(tree: exp.Expression) -> list[Site]:
    """Where the time filters of a query stand."""
    selects = list(tree.find_all(exp.Select, bfs=False))
    return [site for select in selects for site in _sites(select)]


def _sites(select: exp.Select) -> Iterator[Site]:
    chosen = False
    for site in _conditions(select):
        chosen |= site.ordered
        yield site
    order = select.args.get("order")
    last = recognise(order.expressions[-1]) if order and not chosen else None
    if last:
        yield Site(last, select, (), True)


def _conditions(select: exp.Select) -> Iterator[Site]:
    for clause in (select.args.get("where"), select.args.get("having")):
        if clause:
            yield from _of_condition(clause.this, select)


def _of_condition(condition: exp.Expression, select: exp.Select) -> Iterator[Site]:
    rest = _flat(condition) if isinstance(condition, exp.And) else [condition]
    while rest:
        found, taken = within_period(rest) or (recognise(rest[0]), 1)
        if found:
            visit = found.filter.template.meaning
            ordered = isinstance(visit, Visit) and visit.which != "current"
            yield Site(found, select, tuple(rest[:taken]), ordered)
        elif isinstance(rest[0], exp.Paren | exp.Or | exp.And):
            for operand in rest[0].iter_expressions():
                yield from _of_condition(operand, select)
        rest = rest[taken:]


def _flat(condition: exp.And) -> list[exp.Expression]:
    return [node for node in condition.flatten(unnest=False) if isinstance(node, exp.Expression)]


def _visit(node: exp.Is | exp.Not) -> Recognised | None:
    test = node.this if isinstance(node, exp.Not) else node
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    ended = isinstance(node, exp.Not) != bool(test.args.get("negate"))
    stay = None if _left_out(node) else _stay_of_end(test.this)
    which = _which_visit(node, stay) if stay and ended else "current"
    template = template_of(Visit(stay.stay, which)) if stay and which else None
    if not stay or not template:
        return None
    start = exp.column(stay.start, test.this.args.get("table"))
    return Recognised(TimeFilter(template), (start, test.this))


def _stay_of_end(column: exp.Expression) -> StayColumns | None:
    if not isinstance(column, exp.Column):
        return None
    named = [stay for stay in all_stays() if stay.end == column.name]
    return next((stay for stay in named if column.table in ("", stay.table)), None)


def _left_out(node: exp.Expression) -> bool:
    """Whether the select around is what a query leaves out: hospitals other than the current."""
    select = node.find_ancestor(exp.Select)
    around = select.parent if select else None
    if isinstance(around, exp.Subquery):
        around = around.parent
    return isinstance(around, exp.NEQ) or (
        isinstance(around, exp.In) and isinstance(around.parent, exp.Not)
    )


def _which_visit(node: exp.Expression, stay: StayColumns) -> Literal["first", "last"] | None:
    """First or last, where the select takes one stay by its beginning.

    A select that asks for the stay's end takes a row instead: how long the last stay was, say.
    """
    select = node.find_ancestor(exp.Select)
    order = select.args.get("order") if select else None
    if not select or not order or len(order.expressions) > 1 or _taken(select) != 0:
        return None
    (key,) = order.expressions
    asked = {column.name for shown in select.expressions for column in shown.find_all(exp.Column)}
    if key.this.name != stay.start or stay.end in asked:
        return None
    return "last" if key.args.get("desc") else "first"


def _rank(node: exp.Ordered) -> Recognised | None:
    select = node.find_ancestor(exp.Select)
    column, offset = node.this, _taken(select) if select else None
    if offset is None or not isinstance(column, exp.Column) or column.name not in time_columns():
        return None
    template = template_of(Rank(bool(node.args.get("desc")), offset))
    return Recognised(TimeFilter(template), (column,)) if template else None


def _taken(select: exp.Select) -> int | None:
    """How many rows are passed over before the one row taken; None where not one is taken."""
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if not isinstance(limit, exp.Limit) or limit.expression.name != "1":
        return None
    return int(offset.expression.name) if offset else 0
