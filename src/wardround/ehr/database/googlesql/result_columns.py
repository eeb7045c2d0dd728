"""Names of a result's columns: as the query writes them, `f0_` and so on for the nameless."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sqlglot import exp

from wardround.ehr.database.interface import QueryError


def name_columns(query: exp.Query) -> None:
    """Give every column of the result the name that BigQuery would."""
    selects = _first_select(query).expressions
    for number, (column, name) in enumerate(_unnamed(selects)):
        column.replace(exp.alias_(column.copy(), name or f"f{number}_", quoted=True))
    for number, column in enumerate(_nameless(selects)):
        column.replace(exp.alias_(column.copy(), f"f{number}_", quoted=True))


def check_names(columns: Sequence[str]) -> None:
    """Refuse a result in which two columns have one name, as BigQuery does.

    Raises:
        QueryError: Two columns have the same name in any case.
    """
    counts = Counter(name.lower() for name in columns)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        names = ", ".join(twice)
        raise QueryError(
            f"Duplicate column names in the result are not supported. Found duplicate(s): {names}.",
            "syntax",
        )


def _first_select(query: exp.Expr) -> exp.Expr:
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return query


def _unnamed(selects: list[exp.Expr]) -> Iterator[tuple[exp.Expr, str]]:
    """Columns and fields, with the name as it is written."""
    for column in list(selects):
        if isinstance(column, exp.Column) and not isinstance(column.this, exp.Star):
            yield column, column.name
        elif isinstance(column, exp.Dot) and not isinstance(column.expression, exp.Star):
            yield column, column.expression.name


def _nameless(selects: list[exp.Expr]) -> list[exp.Expr]:
    named = (exp.Alias, exp.Star, exp.Column, exp.Dot, exp.Aliases)
    return [column for column in selects if not isinstance(column, named)]
