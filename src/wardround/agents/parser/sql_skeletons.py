"""SQL taken apart: what stays when the times and the values that a question names are taken out."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, cast

from sqlglot import exp, parse_one

from wardround.agents.parser.columns import Domain, Types
from wardround.ehr.times import Dialect, TimeFilter, extracted

_LITERAL = re.compile(r"'(?P<text>(?:[^']|'')*)'|(?<![\w.'%])(?P<number>\d+(?:\.\d+)?)(?![\w.])")
_OF_TIME = re.compile(
    r"[-+]?\d+ (?:year|month|day)s?|\d{4}(?:-\d\d){0,2}(?: [\d:]+)?|\d\d(?:-\d\d)?"
)
_DIGITS = re.compile(r"\d+")
_MARK = re.compile(r"(?P<equals>= )?'<<(?P<slot>\d+)>>'")


def shape(sql: str, said: Callable[[str], bool]) -> str:
    """A text that two queries share if they differ in times and in what their questions say.

    Args:
        sql: The query.
        said: Whether its question says a text or a number.

    >>> shape("SELECT a FROM t WHERE b = 'x y' AND c > 2", {"x y"}.__contains__)
    "SELECT a FROM t WHERE b = '' AND c > 2"
    """

    def left(found: re.Match[str]) -> str:
        text = found["text"]
        if text is not None and _OF_TIME.fullmatch(text):
            return _DIGITS.sub("0", found[0])
        if said((text or "").replace("''", "'") or found["number"] or ""):
            return "''" if text is not None else "0"
        return found[0]

    return _LITERAL.sub(left, sql)


class Literal(NamedTuple):
    """A text or a number of a query.

    Attributes:
        context: What it is compared with, for numbers; the domain's name for values.
        domain: The values that it is one of; None for a number that is none.
    """

    node: exp.Literal
    context: str
    domain: Domain | None


class Apart(NamedTuple):
    """A query without its times.

    Attributes:
        tree: The query with places for times (`wardround.ehr.times.extracted`).
        filters: The times by the number of their place.
        dialect: Whose SQL it is.
    """

    tree: exp.Expression
    filters: tuple[TimeFilter, ...]
    dialect: Dialect


def taken_apart(sql: str, dialect: Dialect) -> Apart:
    """The query's tree without its times.

    Raises:
        sqlglot.errors.SqlglotError: If it is no SQL.
    """
    return Apart(*extracted(tree_of(sql, dialect)), dialect)


def tree_of(sql: str, dialect: Dialect) -> exp.Expression:
    """The tree of a query.

    Raises:
        sqlglot.errors.SqlglotError: If it is no SQL.
    """
    return cast("exp.Expression", parse_one(sql, read=dialect))


def literals(tree: exp.Expression, types: Types, fixed: Collection[str] = ()) -> list[Literal]:
    """What may be a slot, in the order of the query's text.

    Args:
        tree: A query without times.
        types: The columns of the database.
        fixed: Columns whose values no question says, as they only tell domains apart.
    """
    return list(_literals(tree, types, fixed))


def marked(number: int) -> exp.Expression:
    """What stands in a query where a slot is."""
    return exp.Literal.string(f"<<{number}>>")


def with_values(sql: str, values: Sequence[Sequence[str]]) -> str:
    """The query with SQL in the places of its slots, one or several for each.

    >>> with_values("SELECT a FROM t WHERE b = '<<0>>' AND c = '<<1>>'", [["7"], ["'x'", "'y'"]])
    "SELECT a FROM t WHERE b = 7 AND c IN ('x', 'y')"
    """

    def put_in(mark: re.Match[str]) -> str:
        those = values[int(mark["slot"])]
        equals, either = mark["equals"] or "", ", ".join(those)
        return f"IN ({either})" if equals and len(those) > 1 else f"{equals}{either}"

    return _MARK.sub(put_in, sql)


def _literals(tree: exp.Expression, types: Types, fixed: Collection[str]) -> Iterator[Literal]:
    for node in tree.find_all(exp.Literal, bfs=False):
        if node.find_ancestor(exp.Anonymous) or isinstance(node.parent, exp.Func):
            continue
        column = _compared(node)
        if column is not None and (node.is_string or column.name.lower().endswith("id")):
            domain = _domain(node, column, types, fixed)
            if domain and domain.column not in fixed:
                yield Literal(node, domain.name, domain)
        elif not node.is_string:
            yield Literal(node, _context(node), None)


def _compared(node: exp.Literal) -> exp.Column | None:
    parent = node.parent
    other: exp.Expr | None = None
    if isinstance(parent, exp.EQ):
        other = parent.left if parent.right is node else parent.right
    elif isinstance(parent, exp.In):
        other = parent.this
    return other if isinstance(other, exp.Column) else None


def _domain(
    node: exp.Literal, column: exp.Column, types: Types, fixed: Collection[str]
) -> Domain | None:
    name = column.name.lower()
    holders = sorted(table for table in types if name in types[table])
    if not holders:
        return None
    if not node.is_string:
        # A patient is the same one in every table.
        return Domain(holders[0], name)
    return Domain(_table(column, holders), name, tuple(sorted(_beside(column, fixed))))


def _table(column: exp.Column, holders: list[str]) -> str:
    named = column.table.lower()
    if named in holders:
        return named
    select = column.find_ancestor(exp.Select)
    inside = {table.name.lower() for table in select.find_all(exp.Table)} if select else set()
    return next((table for table in holders if table in inside), holders[0])


def _beside(column: exp.Column, fixed: Collection[str]) -> Iterator[tuple[str, str]]:
    """What the fixed columns of the same table are equal to, in the same WHERE."""
    where = column.find_ancestor(exp.Where)
    for equal in where.find_all(exp.EQ) if where else ():
        other, value = equal.left, equal.right
        if (
            isinstance(other, exp.Column)
            and isinstance(value, exp.Literal)
            and other.table == column.table
            and other.name.lower() in fixed
        ):
            yield other.name.lower(), value.name


def _context(node: exp.Literal) -> str:
    parent = node.parent or exp.Null()
    sides = [
        "#" if side is node else _shortened(side)
        for side in parent.args.values()
        if isinstance(side, exp.Expression)
    ]
    return f"{parent.key} {' '.join(sides)}"


def _shortened(side: exp.Expression) -> str:
    if isinstance(side, exp.Column):
        return _DIGITS.sub("", side.name.lower())
    return side.name if isinstance(side, exp.Literal) else side.key
