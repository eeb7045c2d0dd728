"""Headings of a query's columns in words, where engines give the expression or a bare name."""

from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

_AGGREGATES = (
    (exp.Avg, "average"),
    (exp.Median, "median"),
    (exp.Sum, "total"),
    (exp.Max, "highest"),
    (exp.Min, "lowest"),
)
_OF_TIMES = {"highest": "last", "lowest": "first"}
_WRAPPERS = (exp.Cast, exp.Paren, exp.Round, exp.Distinct)


@lru_cache(maxsize=4096)
def column_headings(sql: str, columns: tuple[str, ...], dialect: str = "") -> tuple[str, ...]:
    """The headings of the columns of a result.

    Args:
        sql: the query.
        columns: the names that the engine gives.
        dialect: its dialect, as sqlglot names it.

    >>> counted, highest = "SELECT COUNT(DISTINCT patient) FROM t", "SELECT MAX(t.value) FROM t"
    >>> column_headings(counted, ("count(DISTINCT patient)",)), column_headings(highest, ("max",))
    (('number of patients',), ('highest value',))
    >>> column_headings("SELECT * FROM stays", ("stay_id", "ward"))
    ('stay id', 'ward')
    """
    names = tuple(map(_plain, columns))
    try:
        query = parse_one(sql, dialect=dialect or None)
    except (SqlglotError, RecursionError):
        return names
    selected = query.selects if isinstance(query, exp.Query) else []
    if len(selected) != len(columns) or any(each.is_star for each in selected):
        return names
    return tuple(
        name if isinstance(each, exp.Alias) else _heading(each) or "value"
        for each, name in zip(selected, names, strict=True)
    )


def _heading(expression: exp.Expr) -> str:
    """An expression in words; "" if there are none for it."""
    if isinstance(expression, exp.Column | exp.Alias):
        return _plain(expression.alias_or_name)
    if isinstance(expression, exp.Count):
        return f"number of {_counted(expression.this)}"
    if isinstance(expression, exp.Div) and expression.find(exp.Subquery):
        is_percent = any(each.name in ("100", "100.0") for each in expression.find_all(exp.Literal))
        return "percentage" if is_percent else "ratio"
    for kind, word in _AGGREGATES:
        if isinstance(expression, kind):
            of = _heading(expression.this)
            word = _OF_TIMES.get(word, word) if "time" in of or "date" in of else word
            return f"{word} {of}".strip()
    if isinstance(expression, _WRAPPERS):
        inner = expression.expressions if isinstance(expression, exp.Distinct) else ()
        return _heading(inner[0] if inner else expression.this)
    return ""


def _counted(expression: exp.Expr) -> str:
    """The things that a COUNT counts, in the plural."""
    name = "" if isinstance(expression, exp.Star) else _heading(expression)
    if not name:
        return "records"
    return f"different {name}" if name.endswith(("id", "s")) else f"{name}s"


def _plain(name: str) -> str:
    return name.replace("_", " ").strip() or "value"
