"""Recognition of the time filters of a query: conditions, visits, and rows by rank."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from wardround.ehr.times.condition_parser import RecognisedFilter, comparison_filter, within_period
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Rank, Visit
from wardround.ehr.times.stays import StayColumns, stays_naming, time_columns
from wardround.ehr.times.templates import template_of


@dataclass(frozen=True)
class FilterSite:
    """The location of a time filter in a SELECT.

    Attributes:
        nodes: Its conditions, all in one clause; empty for a row selected by rank.
        ordered: True if the ORDER BY and LIMIT belong to the filter.
    """

    recognised: RecognisedFilter
    select: exp.Select
    nodes: tuple[exp.Expression, ...]
    ordered: bool


def recognise(node: exp.Expression) -> RecognisedFilter | None:
    """The time filter of a condition, a conjunction or an ORDER BY key, or None.

    Visits and ranked rows are recognised by the surrounding SELECT. Understands all
    dialects that `condition` writes, and the published queries.

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
    return comparison_filter(node)


def query_time_filters(tree: exp.Expression) -> tuple[RecognisedFilter, ...]:
    """All time filters of a query, outer selects before inner ones."""
    return tuple(site.recognised for site in all_sites(tree))


def all_sites(tree: exp.Expression) -> list[FilterSite]:
    """The locations of all time filters of a query."""
    selects = list(tree.find_all(exp.Select, bfs=False))
    return [site for select in selects for site in _select_sites(select)]


def _select_sites(select: exp.Select) -> Iterator[FilterSite]:
    chosen = False
    for site in _clause_sites(select):
        chosen |= site.ordered
        yield site
    order = select.args.get("order")
    last = recognise(order.expressions[-1]) if order and not chosen else None
    if last:
        yield FilterSite(last, select, (), True)


def _clause_sites(select: exp.Select) -> Iterator[FilterSite]:
    for clause in (select.args.get("where"), select.args.get("having")):
        if clause:
            yield from _condition_sites(clause.this, select)


def _condition_sites(condition: exp.Expression, select: exp.Select) -> Iterator[FilterSite]:
    rest = _flat(condition) if isinstance(condition, exp.And) else [condition]
    while rest:
        recognised, count = within_period(rest) or (recognise(rest[0]), 1)
        if recognised:
            visit = recognised.filter.template.meaning
            ordered = isinstance(visit, Visit) and visit.which != "current"
            yield FilterSite(recognised, select, tuple(rest[:count]), ordered)
        elif isinstance(rest[0], exp.Paren | exp.Or | exp.And):
            for operand in rest[0].iter_expressions():
                yield from _condition_sites(operand, select)
        rest = rest[count:]


def _flat(condition: exp.And) -> list[exp.Expression]:
    return [node for node in condition.flatten(unnest=False) if isinstance(node, exp.Expression)]


def _visit(node: exp.Is | exp.Not) -> RecognisedFilter | None:
    test = node.this if isinstance(node, exp.Not) else node
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    ended = isinstance(node, exp.Not) != bool(test.args.get("negate"))
    stay = None if _is_excluded(node) else _stay_of_end(test.this)
    which = _which_visit(node, stay) if stay and ended else "current"
    template = template_of(Visit(stay.stay, which)) if stay and which else None
    if not stay or not template:
        return None
    start = exp.column(stay.start, test.this.args.get("table"))
    return RecognisedFilter(TimeFilter(template), (start, test.this))


def _stay_of_end(column: exp.Expression) -> StayColumns | None:
    if not isinstance(column, exp.Column):
        return None
    stays = [stay for stay in stays_naming(column.name) if stay.end == column.name]
    return next((stay for stay in stays if column.table in ("", stay.table)), None)


def _is_excluded(node: exp.Expression) -> bool:
    """True if the enclosing select is excluded by the query (`<>` or `NOT IN`)."""
    select = node.find_ancestor(exp.Select)
    around = select.parent if select else None
    if isinstance(around, exp.Subquery):
        around = around.parent
    return isinstance(around, exp.NEQ) or (
        isinstance(around, exp.In) and isinstance(around.parent, exp.Not)
    )


def _which_visit(node: exp.Expression, stay: StayColumns) -> Literal["first", "last"] | None:
    """First or last, if the select picks one stay by its start.

    A select that outputs the stay's end is a ranked row instead, such as a length of stay.
    """
    select = node.find_ancestor(exp.Select)
    order = select.args.get("order") if select else None
    if not select or not order or len(order.expressions) > 1 or _single_row_offset(select) != 0:
        return None
    (key,) = order.expressions
    selected = {col.name for output in select.expressions for col in output.find_all(exp.Column)}
    if key.this.name != stay.start or stay.end in selected:
        return None
    return "last" if key.args.get("desc") else "first"


def _rank(node: exp.Ordered) -> RecognisedFilter | None:
    select = node.find_ancestor(exp.Select)
    column, offset = node.this, _single_row_offset(select) if select else None
    if offset is None or not isinstance(column, exp.Column) or column.name not in time_columns():
        return None
    template = template_of(Rank(bool(node.args.get("desc")), offset))
    return RecognisedFilter(TimeFilter(template), (column,)) if template else None


def _single_row_offset(select: exp.Select) -> int | None:
    """The OFFSET of a select with LIMIT 1; None for any other limit."""
    limit, offset = select.args.get("limit"), select.args.get("offset")
    if not isinstance(limit, exp.Limit) or limit.expression.name != "1":
        return None
    return int(offset.expression.name) if offset else 0
