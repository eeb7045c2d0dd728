"""Describes kinds of questions by canonical SQL, and by attributes that kinds share."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.parser.columns import ColumnTypes, is_id
from wardround.agents.parser.sql.forms import SqlForm
from wardround.agents.parser.sql.skeletons import parse_sql
from wardround.ehr.times import fill_filters

_MARKER = re.compile(r"<<(\d+)>>")
_TIME_CALL = re.compile(r"(?:(?: AND| WHERE| ORDER BY|,) )?TIME_\w+\([^()]*\)")
_ALIAS = re.compile(r"[tc]\d+")


class KindDescription(NamedTuple):
    """A kind of question.

    Attributes:
        name: The canonical query without times, which identifies the kind.
        form: Attributes of what is done with the records: counted, ranked, compared …
        event: Attributes of what the records are about.
    """

    name: str
    form: tuple[str, ...]
    event: tuple[str, ...]


def outline(form: SqlForm) -> str:
    """A text that is equal only for forms of one kind; cheaper than a description."""
    constants = [(index, filter.template.id) for index, filter in form.constants]
    sql = form.sql if constants else _TIME_CALL.sub("", form.sql)
    return f"{sql} {form.slots} {constants}"


def describe(form: SqlForm, columns: ColumnTypes) -> KindDescription:
    """Describe the kind of question that a form answers, whatever its times."""
    constants = dict(form.constants)
    times = [constants.get(index) for index in range(len(form.roles))]
    tree = _canonical(fill_filters(parse_sql(form.sql, form.dialect), times, form.dialect), form)
    event = tuple(sorted(set(_event_attributes(tree, columns))))
    return KindDescription(tree.sql(), tuple(sorted(set(_form_attributes(tree, columns)))), event)


def _canonical(tree: exp.Expression, form: SqlForm) -> exp.Expression:
    """The tree in lower case, with slots named by content, and aliases and conditions in order."""
    aliases: dict[str, str] = {}
    for node in list(tree.walk(bfs=False)):
        if isinstance(node, exp.Identifier):
            name = node.name.lower()
            if _ALIAS.fullmatch(name):
                name = aliases.setdefault(name, f"{name[0]}{len(aliases)}")
            node.set("this", name)
        elif isinstance(node, exp.Literal) and (marker := _MARKER.fullmatch(node.name)):
            slot = form.slots[int(marker[1])]
            node.set("this", f"<{slot.domain.name if slot.domain else slot.context}>")
    for equal in list(tree.find_all(exp.EQ)):
        if isinstance(equal.right, exp.Subquery):
            equal.replace(exp.In(this=equal.left.copy(), query=equal.right.copy()))
    for both in list(tree.find_all(exp.And)):
        if not isinstance(both.parent, exp.And):
            both.replace(exp.and_(*sorted(both.flatten(), key=lambda part: part.sql()), copy=False))
    return tree


def _event_attributes(tree: exp.Expression, columns: ColumnTypes) -> Iterator[str]:
    """The tables of a query, the text columns it names, and its constant names."""
    yield from (f"table {table.name}" for table in tree.find_all(exp.Table))
    for column in tree.find_all(exp.Column):
        if columns.get(column.table, {}).get(column.name) == "text":
            yield f"column {column.table}.{column.name}"
    for equal in tree.find_all(exp.EQ):
        value = equal.right
        is_literal = isinstance(equal.left, exp.Column) and isinstance(value, exp.Literal)
        if is_literal and value.is_string and not value.name.startswith("<"):
            yield f"{equal.left.name} is {value.name}"


def _form_attributes(tree: exp.Expression, columns: ColumnTypes) -> Iterator[str]:
    """Operations of a query (select, count, compare, group, sort), without column names."""
    types = {name: type for table in columns.values() for name, type in table.items()}
    top = tree.find(exp.Select)
    if tree.find(exp.Except):
        yield "except"
    for selected in top.expressions if top else ():
        yield f"top {_outline(selected, types)}"
    for function in tree.find_all(exp.AggFunc):
        yield f"function {function.key}"
    for compared in tree.find_all(exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Between, exp.EQ):
        outline = _outline(compared, types)
        if not isinstance(compared, exp.EQ) or "name" not in outline:
            yield f"compared {outline}"
    for select in tree.find_all(exp.Select):
        yield from _clause_attributes(select, types)


def _clause_attributes(select: exp.Select, types: dict[str, str]) -> Iterator[str]:
    group, order = select.args.get("group"), select.args.get("order")
    for key in group.expressions if group else ():
        if not isinstance(key, exp.Column):
            yield f"grouped {_outline(key, types)}"
    if order:
        yield f"sorted {_outline(order, types)}"
    for selected in select.expressions:
        outline = _outline(selected, types)
        if outline != "name":
            yield f"selected {outline}"


def _outline(node: exp.Expr, types: dict[str, str]) -> str:
    """The node's SQL with columns named by type and subqueries left out."""
    if isinstance(node, exp.Column):
        return _type_name(node, types)
    node = node.copy()
    for inner in list(node.find_all(exp.Subquery)):
        if inner is not node:
            inner.replace(exp.Var(this="query"))
    for column in list(node.find_all(exp.Column)):
        column.replace(exp.Var(this=_type_name(column, types)))
    for literal in list(node.find_all(exp.Literal)):
        if literal.is_string and literal.name.startswith("<"):
            literal.replace(exp.Var(this="slot"))
    return node.sql()


def _type_name(column: exp.Column, types: dict[str, str]) -> str:
    name = column.name.lower()
    if _ALIAS.fullmatch(name):
        return "computed"
    type = types.get(name, name)
    return "name" if type == "text" or is_id(name) or name.endswith("code") else type
