"""What queries of one kind share, and what they share with queries of other kinds."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.parser.alignment import Form
from wardround.agents.parser.columns import Types
from wardround.agents.parser.sql_skeletons import tree_of
from wardround.ehr.times import filled

_MARK = re.compile(r"<<(\d+)>>")
_PLACE = re.compile(r"(?:(?: AND| WHERE| ORDER BY|,) )?TIME_\w+\([^()]*\)")
_ALIAS = re.compile(r"[tc]\d+")


class Description(NamedTuple):
    """A kind of question, described apart from all others.

    Attributes:
        name: Its query in a fixed form.
        form: What is done with the records, whatever they are of: counted, ranked, compared …
        event: What the records are of.
    """

    name: str
    form: tuple[str, ...]
    event: tuple[str, ...]


def outline(form: Form) -> str:
    """A text that two forms share only if they are of one kind, sooner made than a description."""
    always = [(place, filter.template.id) for place, filter in form.constants]
    places = form.sql if always else _PLACE.sub("", form.sql)
    return f"{places} {form.slots} {always}"


def described(form: Form, types: Types) -> Description:
    """The kind of question that a form of SQL answers, times left aside."""
    constants = dict(form.constants)
    times = [constants.get(place) for place in range(len(form.roles))]
    tree = _uniform(filled(tree_of(form.sql, form.dialect), times, form.dialect), form)
    event = tuple(sorted(set(_event(tree, types))))
    return Description(tree.sql(), tuple(sorted(set(_form(tree, types)))), event)


def _uniform(tree: exp.Expression, form: Form) -> exp.Expression:
    """The tree in lower case, slots named by what they take, aliases and conditions in order."""
    aliases: dict[str, str] = {}
    for node in list(tree.walk(bfs=False)):
        if isinstance(node, exp.Identifier):
            name = node.name.lower()
            if _ALIAS.fullmatch(name):
                name = aliases.setdefault(name, f"{name[0]}{len(aliases)}")
            node.set("this", name)
        elif isinstance(node, exp.Literal) and (mark := _MARK.fullmatch(node.name)):
            slot = form.slots[int(mark[1])]
            node.set("this", f"<{slot.domain.name if slot.domain else slot.context}>")
    for equal in list(tree.find_all(exp.EQ)):
        if isinstance(equal.right, exp.Subquery):
            equal.replace(exp.In(this=equal.left.copy(), query=equal.right.copy()))
    for both in list(tree.find_all(exp.And)):
        if not isinstance(both.parent, exp.And):
            both.replace(exp.and_(*sorted(both.flatten(), key=lambda part: part.sql()), copy=False))
    return tree


def _event(tree: exp.Expression, types: Types) -> Iterator[str]:
    """The tables of a query, what it names there, and names that are always the same."""
    yield from (f"table {table.name}" for table in tree.find_all(exp.Table))
    for column in tree.find_all(exp.Column):
        if types.get(column.table, {}).get(column.name) == "text":
            yield f"column {column.table}.{column.name}"
    for equal in tree.find_all(exp.EQ):
        value = equal.right
        named = isinstance(equal.left, exp.Column) and isinstance(value, exp.Literal)
        if named and value.is_string and not value.name.startswith("<"):
            yield f"{equal.left.name} is {value.name}"


def _form(tree: exp.Expression, types: Types) -> Iterator[str]:
    """What a query selects, counts, compares, groups and sorts, without names of its own."""
    kinds = {name: kind for table in types.values() for name, kind in table.items()}
    top = tree.find(exp.Select)
    if tree.find(exp.Except):
        yield "except"
    for selected in top.expressions if top else ():
        yield f"top {_outline(selected, kinds)}"
    for function in tree.find_all(exp.AggFunc):
        yield f"function {function.key}"
    for compared in tree.find_all(exp.GT, exp.LT, exp.GTE, exp.LTE, exp.Between, exp.EQ):
        outline = _outline(compared, kinds)
        if not isinstance(compared, exp.EQ) or "name" not in outline:
            yield f"compared {outline}"
    for select in tree.find_all(exp.Select):
        yield from _clauses(select, kinds)


def _clauses(select: exp.Select, kinds: dict[str, str]) -> Iterator[str]:
    group, order = select.args.get("group"), select.args.get("order")
    for key in group.expressions if group else ():
        if not isinstance(key, exp.Column):
            yield f"grouped {_outline(key, kinds)}"
    if order:
        yield f"sorted {_outline(order, kinds)}"
    for selected in select.expressions:
        outline = _outline(selected, kinds)
        if outline != "name":
            yield f"selected {outline}"


def _outline(node: exp.Expr, kinds: dict[str, str]) -> str:
    """The node's text with columns named by what they hold, and no queries inside it."""
    if isinstance(node, exp.Column):
        return _held(node, kinds)
    node = node.copy()
    for inner in list(node.find_all(exp.Subquery)):
        if inner is not node:
            inner.replace(exp.Var(this="query"))
    for column in list(node.find_all(exp.Column)):
        column.replace(exp.Var(this=_held(column, kinds)))
    for literal in list(node.find_all(exp.Literal)):
        if literal.is_string and literal.name.startswith("<"):
            literal.replace(exp.Var(this="slot"))
    return node.sql()


def _held(column: exp.Column, kinds: dict[str, str]) -> str:
    name = column.name.lower()
    if _ALIAS.fullmatch(name):
        return "computed"
    kind = kinds.get(name, name)
    return "name" if kind == "text" or name.endswith(("id", "code")) else kind
