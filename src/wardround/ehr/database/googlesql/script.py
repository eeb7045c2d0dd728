"""Scripts: DECLARE and SET before one query; values replace the variables in the query."""

from functools import lru_cache
from itertools import islice

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from wardround.ehr.database.googlesql.dialect import GoogleSql
from wardround.ehr.database.interface import QueryError

# Parts of a query after its variables are put in; published ones have some thousand.
_MOST_NODES = 100_000
# The exceptions of sqlglot for a function with a wrong number of arguments.
FAULTS = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_Variables = dict[str, exp.Expr]


def one_query(sql: str) -> exp.Query:
    """The query of a script, which the caller may change.

    Raises:
        QueryError: It cannot be parsed, is not a query, or is several.
    """
    return _parsed(sql).copy()


@lru_cache(maxsize=4)  # A query is checked and translated one after the other.
def _parsed(sql: str) -> exp.Query:
    *settings, query = _statements(sql)
    if not isinstance(query, exp.Query) or any(
        not isinstance(each, exp.Declare | exp.Set) for each in settings
    ):
        kinds = [type(each).__name__.upper() for each in (*settings, query)]
        other = [kind for kind in kinds if kind not in ("SELECT", "UNION", "DECLARE", "SET")]
        if other:
            raise QueryError(f"Only reading is allowed here, not {other[0]}.", "denied")
        raise QueryError(f"{len(kinds)} statements were sent; send one query.", "syntax")
    variables: _Variables = {}
    for statement in settings:
        _assign(statement, variables)
    filled = _put_in(query, variables) if variables else query
    assert isinstance(filled, exp.Query)  # noqa: S101 - only columns were replaced
    return filled


def _statements(sql: str) -> list[exp.Expr]:
    try:
        statements = [each for each in parse(sql, read=GoogleSql) if each is not None]
    except (SqlglotError, *FAULTS) as error:
        raise QueryError(f"Syntax error: {first_line(error)}", "syntax") from error
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.", "limit") from error
    if not statements:
        raise QueryError("This is not a query: it is empty; send one SELECT.", "syntax")
    return [each for each in statements if not isinstance(each, exp.Semicolon)]


def _assign(statement: exp.Expr, variables: _Variables) -> None:
    for item in statement.expressions:
        if isinstance(item, exp.DeclareItem):
            _declare(item, variables)
        else:
            _set(item, variables)


def _declare(item: exp.DeclareItem, variables: _Variables) -> None:
    value = item.args.get("default") or exp.Null()
    kind = item.args.get("kind")
    names = item.this if isinstance(item.this, list) else [item.this]
    for name in names:
        filled = _put_in(value, variables)
        typed = exp.Cast(this=filled, to=kind.copy()) if kind is not None else filled
        variables[name.name.lower()] = typed


def _set(item: exp.Expr, variables: _Variables) -> None:
    assignment = item.this
    if not isinstance(assignment, exp.EQ):
        raise QueryError("Only SET variable = value is understood here.", "syntax")
    target, value = assignment.this, assignment.expression
    several = isinstance(target, exp.Tuple)
    names = target.expressions if several else [target]
    values = value.expressions if several and isinstance(value, exp.Tuple) else [value]
    if len(names) != len(values):
        raise QueryError("SET of several variables needs as many values in parentheses.", "syntax")
    filled = [_put_in(each, variables) for each in values]
    for name, new in zip(names, filled, strict=True):
        known = variables.get(name.name.lower())
        if known is None:
            raise QueryError(f"Undeclared variable: {name.name}.", "syntax")
        kind = known.to.copy() if isinstance(known, exp.Cast) else None
        variables[name.name.lower()] = exp.Cast(this=new, to=kind) if kind is not None else new


def _put_in(tree: exp.Expr, variables: _Variables) -> exp.Expr:
    """A copy with variables replaced; a column that the query itself names comes first."""
    named = {each.alias.lower() for each in tree.find_all(exp.Alias)}

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table:
            name = node.name.lower()
            if name in variables and name not in named:
                value = variables[name].copy()
                return (
                    value if isinstance(value, exp.Cast | exp.Subquery) else exp.Paren(this=value)
                )
        return node

    filled = tree.transform(replaced)
    if next(islice(filled.walk(), _MOST_NODES, None), None) is not None:
        raise QueryError("The script's variables grow too large; write one query.", "limit")
    return filled


def first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
