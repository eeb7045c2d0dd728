"""Ambiguities of implementation, found in the gold's tree (Table 7)."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.statement_nodes import (
    Statement,
    is_negated,
    span_of,
    text_of,
)
from wardround.authoring.interact.ambiguities.wording_templates import in_words, template, told

Found: TypeAlias = Iterator[Proposal]


def implementation(request: str, statement: Statement) -> tuple[Proposal, ...]:
    """The seven types, each where the gold has the operation; a piece of the gold once.

    Args:
        request: The clear request, in which the words that tell it are looked for.
        statement: A statement of the gold.
    """
    found: dict[str, Proposal] = {}
    for look in _LOOKS:
        for one in look(statement):
            if one.fragment and one.fragment not in found:
                said = told(one.kind, request)
                found[one.fragment] = _said(one, said)
    return tuple(found.values())


def _said(one: Proposal, said: str) -> Proposal:
    return Proposal(
        one.kind, one.fragment, one.meaning, one.otherwise, said, "", one.term, critical=False
    )


def _found(kind: str, fragment: str, meaning: str, *otherwise: str) -> Proposal:
    readings = tuple(dict.fromkeys(one for one in otherwise if one != fragment))
    return Proposal(kind, fragment, meaning, readings, term=template(kind, "term"))


def _decimal(statement: Statement) -> Found:
    for node in statement.tree.find_all(exp.Round):
        digits = node.args.get("decimals")
        text = text_of(node, statement)
        count = int(digits.name) if isinstance(digits, exp.Literal) else 0
        meaning = template("decimal", "many" if count > 1 else ("one", "none")[count == 0])
        if text and digits is None:
            yield _found("decimal", text, meaning, f"{text[:-1]}, -1)")
        elif text and isinstance(digits, exp.Literal):
            head = text[: text.rindex(digits.name)]
            fewer = [f"{head}{each})" for each in (0, count - 1) if 0 <= each < count] or [
                f"{head}-1)"
            ]
            yield _found("decimal", text, meaning.format(count=count), *fewer)


def _join(statement: Statement) -> Found:
    for node in statement.tree.find_all(exp.Join):
        text = text_of(node, statement)
        if node.args.get("side") and text and not _is_anti_join(node):
            inner = text[text.upper().index("JOIN") :]
            yield _found("join", text, template("join", "outer"), inner)


def _is_anti_join(join: exp.Join) -> bool:
    """True if only rows without a match are wanted."""
    select = join.find_ancestor(exp.Select)
    where = select.args.get("where") if select else None
    empty = where.find_all(exp.Is) if where else ()
    return any(
        isinstance(one.expression, exp.Null)
        and not is_negated(one)
        and isinstance(one.this, exp.Column)
        and one.this.table == join.this.alias_or_name
        for one in empty
    )


def _distinct(statement: Statement) -> Found:
    for node in statement.tree.find_all(exp.Distinct):
        if isinstance(node.parent, exp.Select) and not node.args.get("on"):
            text = _head(node.parent, statement)
            yield _found("distinct", text, template("distinct", "rows"), _without_distinct(text))
        elif isinstance(node.parent, exp.AggFunc):
            text = text_of(node.parent, statement)
            meaning = template("distinct", "counted")
            yield _found("distinct", text, meaning, _without_distinct(text))


def _head(select: exp.Select, statement: Statement) -> str:
    """`SELECT DISTINCT` with what is selected."""
    spans = [span_of(one, statement) for one in select.expressions]
    if not spans or spans[0] is None or spans[-1] is None:
        return ""
    before = statement.sql[: spans[0][0]].upper().rfind("SELECT")
    return statement.between(before, spans[-1][1])


def _without_distinct(text: str) -> str:
    place = text.upper().find("DISTINCT")
    return text[:place] + text[place + len("DISTINCT") :].lstrip() if place >= 0 else text


def _sort(statement: Statement) -> Found:
    tree = statement.tree
    order = tree.args.get("order") if isinstance(tree, exp.Query) else None
    if order is None or tree.args.get("limit"):
        return
    text = text_of(order, statement)
    first = order.expressions[0]
    key = text_of(first.this, statement)
    descending = bool(first.args.get("desc"))
    if text and key:
        after = text.partition(key)[2].partition(",")[2]
        turned = f"ORDER BY {key}{'' if descending else ' DESC'}{',' * bool(after)}{after}"
        by = ", then by ".join(in_words(one.this.name) for one in order.expressions)
        way = template("sort", "descending" if descending else "ascending")
        yield _found("sort", text, way.format(by=by), turned)


def _null(statement: Statement) -> Found:
    for node in statement.tree.find_all(exp.Coalesce):
        text, bare = text_of(node, statement), text_of(node.this, statement)
        if bare and not node.find(exp.Div):
            instead = " or ".join(_spoken(one, statement) for one in node.expressions)
            meaning = template("null", "instead").format(instead=instead)
            yield _found("null", text, meaning, bare)
    for check in statement.tree.find_all(exp.Is):
        if is_negated(check) and isinstance(check.expression, exp.Null):
            whole = check.parent if isinstance(check.parent, exp.Not) else check
            text = text_of(whole, statement)
            what = in_words(check.this.name) or "it"
            yield _found("null", text, template("null", "left out").format(what=what), "TRUE")


def _spoken(node: exp.Expr, statement: Statement) -> str:
    return node.name if isinstance(node, exp.Literal) else in_words(text_of(node, statement))


_RANKS = {exp.RowNumber: "ROW_NUMBER()", exp.Rank: "RANK()", exp.DenseRank: "DENSE_RANK()"}


def _rank(statement: Statement) -> Found:
    for kind, text in _RANKS.items():
        for node in statement.tree.find_all(kind):
            others = [one for one in _RANKS.values() if one != text]
            written = text_of(node, statement)
            yield _found("rank", written, template("rank", text), *others)


def _divide_by_zero(statement: Statement) -> Found:
    for node in statement.tree.find_all(exp.Nullif):
        if _is_zero(node.expression):
            yield from _guarded(node, statement)
    for case in statement.tree.find_all(exp.Case):
        if case.find(exp.Div) and any(_asks_for_zero(one.this) for one in case.args["ifs"]):
            yield from _branched(case, statement)


def _guarded(node: exp.Nullif, statement: Statement) -> Found:
    """`NULLIF(x, 0)`, with the COALESCE around it that says what the quotient then is."""
    around = node.find_ancestor(exp.Coalesce, exp.Select)
    if isinstance(around, exp.Coalesce) and len(around.expressions) == 1:
        text, bare = text_of(around, statement), text_of(around.this, statement)
        value = _spoken(around.expressions[0], statement)
        yield _found("divide by zero", text, template("divide by zero", "value", value), bare)
    else:
        text, bare = text_of(node, statement), text_of(node.this, statement)
        meaning = template("divide by zero", "empty")
        yield _found("divide by zero", text, meaning, f"GREATEST({bare}, 1)")


def _branched(case: exp.Case, statement: Statement) -> Found:
    text = text_of(case, statement)
    values = [one.args["true"] for one in case.args["ifs"]] + [case.args.get("default")]
    value = next((one for one in values if one is not None and not one.find(exp.Div)), None)
    if value is None or isinstance(value, exp.Null):
        meaning = template("divide by zero", "empty")
        turned = f"COALESCE({text}, 0)"
    else:
        meaning = template("divide by zero", "value", _spoken(value, statement))
        turned = f"NULLIF({text}, {text_of(value, statement)})"
    if text:
        yield _found("divide by zero", text, meaning, turned)


def _asks_for_zero(node: exp.Expr) -> bool:
    return isinstance(node, exp.EQ | exp.NEQ | exp.GT) and _is_zero(node.expression)


def _is_zero(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.name in ("0", "0.0")


# Divisions first: their COALESCE is no null of its own.
_LOOKS: tuple[Callable[[Statement], Found], ...] = (
    _divide_by_zero,
    _decimal,
    _join,
    _distinct,
    _sort,
    _null,
    _rank,
)
