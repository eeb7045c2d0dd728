"""Orders a query's tied rows both ways, to detect an ORDER BY that leaves ties undefined."""

from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.scoring.sql_cuts import syntax_tree


def tied_orders(sql: str, columns: int) -> tuple[str, ...]:
    """The query with ties broken by its columns, ascending and descending.

    If both return the same rows in the same order, the query's order is fully defined.

    Args:
        sql: One PostgreSQL statement.
        columns: The number of columns of its result.

    Returns:
        Two queries; none if the statement is not a query or cannot be parsed.

    >>> tied_orders("SELECT a, b FROM t ORDER BY a LIMIT 3", 2)[1]
    'SELECT a, b FROM t ORDER BY a, 1 DESC, 2 DESC LIMIT 3'
    >>> tied_orders("DELETE FROM t", 0)
    ()
    """
    try:
        tree = syntax_tree(sql)
    except (SqlglotError, RecursionError):
        return ()
    if not isinstance(tree, exp.Query):
        return ()
    return tuple(_ordered(tree, columns, falling) for falling in (False, True))


def _ordered(query: exp.Query, columns: int, falling: bool) -> str:
    query = query.copy()
    order = query.args.get("order")
    keys = list(order.expressions) if order else []
    ties = [
        exp.Ordered(this=exp.Literal.number(column), desc=falling, nulls_first=falling)
        for column in range(1, columns + 1)
    ]
    query.set("order", exp.Order(expressions=[*keys, *ties]))
    return query.sql(dialect="postgres")
