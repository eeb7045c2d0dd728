"""Takes SQL apart into a skeleton, its literals and its times."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, cast

from sqlglot import exp, parse_one

from wardround.agents.parser.columns import ColumnTypes, Domain, is_id
from wardround.ehr.database import Dialect
from wardround.ehr.times import TimeFilter, extract_filters

_LITERAL = re.compile(r"'(?P<text>(?:[^']|'')*)'|(?<![\w.'%])(?P<number>\d+(?:\.\d+)?)(?![\w.])")
_TIME_TEXT = re.compile(
    r"[-+]?\d+ (?:year|month|day)s?|\d{4}(?:-\d\d){0,2}(?: [\d:]+)?|\d\d(?:-\d\d)?"
)
_DIGITS = re.compile(r"\d+")


def shape(sql: str, is_named: Callable[[str], bool]) -> str:
    """A text that two queries share if they differ only in times and in what questions name.

    Args:
        sql: The query.
        is_named: Whether its question names a text or a number.

    >>> shape("SELECT a FROM t WHERE b = 'x y' AND c > 2", {"x y"}.__contains__)
    "SELECT a FROM t WHERE b = '' AND c > 2"
    """

    def blank(match: re.Match[str]) -> str:
        text = match["text"]
        if text is not None and _TIME_TEXT.fullmatch(text):
            return _DIGITS.sub("0", match[0])
        if is_named((text or "").replace("''", "'") or match["number"] or ""):
            return "''" if text is not None else "0"
        return match[0]

    return _LITERAL.sub(blank, sql)


class Literal(NamedTuple):
    """A text or a number of a query.

    Attributes:
        context: What a number is compared with; the domain's name for a value.
        domain: The domain of a value; None for a number.
    """

    node: exp.Literal
    context: str
    domain: Domain | None


class Skeleton(NamedTuple):
    """A query without its times.

    Attributes:
        tree: The query with places for times (`wardround.ehr.times.extract_filters`).
        filters: The times, by the number of their place.
        dialect: The SQL dialect.
    """

    tree: exp.Expression
    filters: tuple[TimeFilter, ...]
    dialect: Dialect


def skeleton_of(sql: str, dialect: Dialect) -> Skeleton:
    """Take the times out of a query.

    Raises:
        sqlglot.errors.SqlglotError: If the SQL cannot be parsed.
    """
    return Skeleton(*extract_filters(parse_sql(sql, dialect)), dialect)


def parse_sql(sql: str, dialect: Dialect) -> exp.Expression:
    """The syntax tree of a query.

    Raises:
        sqlglot.errors.SqlglotError: If the SQL cannot be parsed.
    """
    return cast("exp.Expression", parse_one(sql, read=dialect))


def literals(
    tree: exp.Expression, columns: ColumnTypes, fixed: Collection[str] = ()
) -> list[Literal]:
    """The literals that may become slots, in the order of the query's text.

    Args:
        tree: A query without times.
        columns: The columns of the database.
        fixed: Columns whose values questions never name; they only restrict other domains.
    """
    return list(_literals(tree, columns, fixed))


def slot_marker(number: int) -> exp.Expression:
    """The literal that marks a slot in a query."""
    return exp.Literal.string(f"<<{number}>>")


def _literals(
    tree: exp.Expression, columns: ColumnTypes, fixed: Collection[str]
) -> Iterator[Literal]:
    for node in tree.find_all(exp.Literal, bfs=False):
        if node.find_ancestor(exp.Anonymous) or isinstance(node.parent, exp.Func):
            continue
        column = _compared_column(node)
        if column is not None and (node.is_string or is_id(column.name)):
            domain = _domain(node, column, columns, fixed)
            if domain and domain.column not in fixed:
                yield Literal(node, domain.name, domain)
        elif not node.is_string:
            yield Literal(node, _context(node), None)


def _compared_column(node: exp.Literal) -> exp.Column | None:
    parent = node.parent
    operand: exp.Expr | None = None
    if isinstance(parent, exp.EQ):
        operand = parent.left if parent.right is node else parent.right
    elif isinstance(parent, exp.In):
        operand = parent.this
    return operand if isinstance(operand, exp.Column) else None


def _domain(
    node: exp.Literal, column: exp.Column, columns: ColumnTypes, fixed: Collection[str]
) -> Domain | None:
    name = column.name.lower()
    tables = sorted(table for table in columns if name in columns[table])
    if not tables:
        return None
    if not node.is_string:
        # An identifier names the same patient or stay in every table.
        return Domain(tables[0], name)
    return Domain(_table(column, tables), name, tuple(sorted(_conditions(column, fixed))))


def _table(column: exp.Column, tables: list[str]) -> str:
    qualifier = column.table.lower()
    if qualifier in tables:
        return qualifier
    select = column.find_ancestor(exp.Select)
    inside = {table.name.lower() for table in select.find_all(exp.Table)} if select else set()
    return next((table for table in tables if table in inside), tables[0])


def _conditions(column: exp.Column, fixed: Collection[str]) -> Iterator[tuple[str, str]]:
    """The conditions on fixed columns of the same table in the same WHERE clause."""
    where = column.find_ancestor(exp.Where)
    for equal in where.find_all(exp.EQ) if where else ():
        operand, value = equal.left, equal.right
        if (
            isinstance(operand, exp.Column)
            and isinstance(value, exp.Literal)
            and operand.table == column.table
            and operand.name.lower() in fixed
        ):
            yield operand.name.lower(), value.name


def _context(node: exp.Literal) -> str:
    parent = node.parent or exp.Null()
    sides = [
        "#" if side is node else _abbreviated(side)
        for side in parent.args.values()
        if isinstance(side, exp.Expression)
    ]
    return f"{parent.key} {' '.join(sides)}"


def _abbreviated(side: exp.Expression) -> str:
    if isinstance(side, exp.Column):
        return _DIGITS.sub("", side.name.lower())
    return side.name if isinstance(side, exp.Literal) else side.key
